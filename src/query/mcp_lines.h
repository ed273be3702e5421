#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::query {

// Cuts a stream of bytes into lines, each a message. A line that is longer than a bound is not
// kept, only told of, so that nobody fills the memory.
class LineBuffer {
 public:
  struct Line {
    std::string text;  // Without its end; empty if it was too long.
    bool is_too_long = false;
  };

  explicit LineBuffer(std::size_t longest) : longest_(longest) {}

  void add(std::string_view bytes);
  // The next whole line, if there is one.
  std::optional<Line> next();
  // What is left at the end of the stream.
  std::optional<Line> last();

 private:
  Line take(std::size_t size);
  void drop_if_too_long();

  std::size_t longest_;
  std::string bytes_;
  std::size_t searched_ = 0;  // Bytes without a line end.
  bool is_too_long_ = false;  // Part of the line was dropped.
};

}  // namespace npuprof::query
