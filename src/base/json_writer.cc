#include "base/json_writer.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "base/utf8.h"

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
      out += kReplacementCharacter;
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
