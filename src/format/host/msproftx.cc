#include "format/host/msproftx.h"

#include <algorithm>
#include <cstring>

namespace npuprof::format::host {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The longest prefix of `text` with at most `limit` bytes that ends between two UTF-8 characters.
std::size_t whole_characters(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text.size();
  std::size_t size = limit;
  while (size > 0 && continues_character(text[size])) --size;
  return size > 0 ? size : limit;  // Not UTF-8: cut anywhere.
}

}  // namespace

std::string_view Msproftx::event_type_name(std::uint32_t event_type) {
  switch (event_type) {
    case kMark:
      return "marker";
    case kPushPop:
      return "push/pop";
    case kStartEnd:
      return "start/end";
    case kMarkEx:
      return "marker_ex";
    default:
      return {};
  }
}

std::string_view Msproftx::message_text() const {
  const auto zero = std::find(message.begin(), message.end(), '\0');
  return {message.data(), static_cast<std::size_t>(zero - message.begin())};
}

std::size_t Msproftx::set_message(std::string_view text) {
  const std::size_t taken = whole_characters(text, kMessageBytes);
  message.fill('\0');
  if (taken > 0) std::memcpy(message.data(), text.data(), taken);
  return taken;
}

void MarkJoiner::add(const Msproftx& record) {
  if (record.info_type != Msproftx::kMstx) {
    marks_.push_back({record, std::string(record.message_text())});
    return;
  }
  const auto [found, is_new] = mark_of_id_.try_emplace(record.mark_id, marks_.size());
  if (is_new) marks_.push_back({record, {}});
  Mark& mark = marks_[found->second];
  if (record.segment == 0) {
    mark.first = record;
    mark.message = record.message_text();
  } else {
    continuations_.push_back({found->second, record.segment, std::string(record.message_text())});
  }
}

std::vector<MarkJoiner::Mark> MarkJoiner::finish(std::size_t* lost_segments) {
  std::stable_sort(continuations_.begin(), continuations_.end(),
                   [](const Continuation& a, const Continuation& b) {
                     return a.mark != b.mark ? a.mark < b.mark : a.segment < b.segment;
                   });
  *lost_segments = 0;
  for (std::size_t i = 0; i < continuations_.size(); ++i) {
    const Continuation& part = continuations_[i];
    const bool is_next = i > 0 && continuations_[i - 1].mark == part.mark;
    // Without a previous continuation, segment 0 must have been the record before this one.
    const bool has_start = marks_[part.mark].first.segment == 0;
    const int previous = is_next ? continuations_[i - 1].segment : (has_start ? 0 : -1);
    if (part.segment > previous + 1) {
      *lost_segments += static_cast<std::size_t>(part.segment - previous - 1);
    }
    marks_[part.mark].message += part.text;
  }
  continuations_.clear();
  mark_of_id_.clear();
  return std::move(marks_);
}

}  // namespace npuprof::format::host
