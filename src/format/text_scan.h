#pragma once

// Cutting text files into lines, words and numbers without copying.

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::format {

// The whole of `text` as a decimal number; nothing if any other character is in it or it does not
// fit.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

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
  const std::size_t end = text.find_first_of(" \t");
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(word.size());
  return word;
}

// Splits "key: value" or "key:value" at the first colon; nothing if there is none.
struct KeyValue {
  std::string_view key;
  std::string_view value;
};
inline std::optional<KeyValue> split_at_colon(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return KeyValue{line.substr(0, colon), line.substr(colon + 1)};
}

template <typename T>
void append_number(std::string& out, T value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  if (error == std::errc{}) out.append(digits, end);
}

}  // namespace npuprof::format
