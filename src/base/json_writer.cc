#include "base/json_writer.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace npuprof {
namespace {

enum class Kind : std::uint8_t { kPlain, kEscape, kBeyondAscii };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (std::size_t c = 0; c < 0x20; ++c) kinds[c] = Kind::kEscape;
  for (std::size_t c = 0x80; c < 0x100; ++c) kinds[c] = Kind::kBeyondAscii;
  kinds['"'] = kinds['\\'] = Kind::kEscape;
  return kinds;
}();

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      constexpr std::string_view kHexDigits = "0123456789abcdef";
      out += "\\u00";
      out += kHexDigits[c >> 4];
      out += kHexDigits[c & 15];
  }
}

// The length of the UTF-8 character that `text` starts with, 0 if it is not one. Refuses
// overlong forms, surrogates and code points above U+10FFFF, as the standard demands.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto is_tail = [byte](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF) return is_tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return is_tail(1) && is_tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return is_tail(1) && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void append_json_escaped(std::string& out, std::string_view text) {
  std::size_t plain_begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    const Kind kind = kKinds[c];
    if (kind == Kind::kPlain) {
      ++at;
      continue;
    }
    if (kind == Kind::kBeyondAscii) {
      const std::size_t length = utf8_length(text.substr(at));
      if (length > 0) {
        at += length;
        continue;
      }
    }
    out.append(text, plain_begin, at - plain_begin);
    if (kind == Kind::kEscape) {
      append_escape(out, c);
    } else {
      out += "\xEF\xBF\xBD";
    }
    plain_begin = ++at;
  }
  out.append(text, plain_begin, at - plain_begin);
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  append_double(out_, number);
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  const bool had_content = has_content_.back();
  has_content_.pop_back();
  if (had_content) break_line();
  out_ += bracket;
  return *this;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_content_.empty()) return;
  if (has_content_.back()) out_ += ',';
  has_content_.back() = true;
  break_line();
}

}  // namespace npuprof
