#pragma once

// Cutting text files into lines, words and key-value pairs without copying, and the one way of
// writing numbers that base/text.h has not.

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace npuprof::format {

// Takes the next line off `text`, without its line end (LF or CR LF). Returns false at the end.
inline bool take_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = text.find('\n');
  line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

// Takes the next word (characters between blanks) off `text`; empty when there is none.
inline std::string_view take_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(begin);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

// Puts the number of the next word into `value`; false if the word is no number.
template <typename T>
bool take_number(std::string_view& text, T& value) {
  const auto number = parse_number<T>(take_word(text));
  if (number) value = *number;
  return number.has_value();
}

inline void skip_words(std::string_view& text, int count) {
  for (int i = 0; i < count; ++i) take_word(text);
}

// Splits "key:value" at the first colon; nothing if there is none.
struct KeyValue {
  std::string_view key;
  std::string_view value;
};
inline std::optional<KeyValue> split_at_colon(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return KeyValue{line.substr(0, colon), line.substr(colon + 1)};
}

// Appends `value` with exactly `decimals` decimals, whatever the locale.
inline void append_fixed(std::string& out, double value, int decimals) {
  char text[400];  // A double has up to 309 digits before the point.
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, decimals);
  if (error == std::errc{}) out.append(text, end);
}

}  // namespace npuprof::format
