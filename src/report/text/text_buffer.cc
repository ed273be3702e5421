#include "report/text/text_buffer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/json_writer.h"

namespace npuprof::report {
namespace {

// Characters that can stand in a JSON string as they are. Others (quotes, control characters, and
// everything beyond ASCII, which must be checked) take the slow path.
constexpr std::array<bool, 256> kPlainJson = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 0x7F; ++c) plain[static_cast<std::size_t>(c)] = c != '"' && c != '\\';
  return plain;
}();

}  // namespace

void TextBuffer::grow(std::size_t bytes) {
  std::size_t capacity = capacity_ * 2;
  while (capacity - size_ < bytes) capacity *= 2;
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

TextBuffer& TextBuffer::real(double value) {
  if (!std::isfinite(value)) return text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  char* out = room(kMaxDoubleChars + 2);
  const double magnitude = std::abs(value);
  const bool exponent = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  char* end = std::to_chars(out, out + kMaxDoubleChars, value, format).ptr;
  if (!exponent && std::memchr(out, '.', static_cast<std::size_t>(end - out)) == nullptr) {
    *end++ = '.';
    *end++ = '0';
  }
  return wrote(end);
}

TextBuffer& TextBuffer::fixed(double value, int decimals) {
  // 309 digits before the point at most.
  char* out = room(static_cast<std::size_t>(decimals) + 320);
  return wrote(
      std::to_chars(out, out + decimals + 320, value, std::chars_format::fixed, decimals).ptr);
}

TextBuffer& TextBuffer::rounded(double value, int decimals, bool point) {
  const std::size_t begin = size_;
  fixed(value, decimals);
  char* const text_begin = data_.get() + begin;
  char* end = data_.get() + size_;
  while (end[-1] == '0' && end[-2] != '.') --end;
  if (end[-1] == '0' && !point) end -= 2;
  // What rounds to zero has no sign.
  if (std::string_view(text_begin, static_cast<std::size_t>(end - text_begin)) == "-0") {
    *text_begin = '0';
    --end;
  }
  return wrote(end);
}

TextBuffer& TextBuffer::json(std::string_view value) {
  if (value.empty()) return text("\"\"");
  bool plain = true;
  for (const char c : value) plain = plain && kPlainJson[static_cast<unsigned char>(c)];
  if (plain) {
    char* out = room(value.size() + 2);
    *out = '"';
    std::memcpy(out + 1, value.data(), value.size());
    out[value.size() + 1] = '"';
    size_ += value.size() + 2;
    return *this;
  }
  std::string escaped;
  append_json_escaped(escaped, value);
  return character('"').text(escaped).character('"');
}

TextBuffer& TextBuffer::csv(std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) return text(value);
  character('"');
  for (const char c : value) {
    if (c == '"') character('"');
    character(c);
  }
  return character('"');
}

}  // namespace npuprof::report
