#include "query/mcp_lines.h"

#include <algorithm>
#include <utility>

namespace npuprof::query {

// A long line is dropped as it comes, so no more is kept than one call brings.
void LineBuffer::add(std::string_view bytes) {
  bytes_ += bytes;
  drop_if_too_long();
}

void LineBuffer::drop_if_too_long() {
  searched_ = std::min(bytes_.find('\n', searched_), bytes_.size());
  if (searched_ < bytes_.size() || searched_ <= longest_) return;
  is_too_long_ = true;
  bytes_.clear();
  searched_ = 0;
}

LineBuffer::Line LineBuffer::take(std::size_t size) {
  Line line{.text = bytes_.substr(0, size), .is_too_long = std::exchange(is_too_long_, false)};
  if (line.text.ends_with('\r')) line.text.pop_back();
  if (line.text.size() > longest_) line.is_too_long = true;
  if (line.is_too_long) line.text.clear();
  return line;
}

std::optional<LineBuffer::Line> LineBuffer::next() {
  const std::size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    drop_if_too_long();
    return std::nullopt;
  }
  Line line = take(end);
  bytes_.erase(0, end + 1);
  searched_ = 0;
  return line;
}

std::optional<LineBuffer::Line> LineBuffer::last() {
  if (bytes_.empty() && !is_too_long_) return std::nullopt;
  Line line = take(bytes_.size());
  bytes_.clear();
  searched_ = 0;
  return line;
}

}  // namespace npuprof::query
