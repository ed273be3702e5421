#include "base/printable.h"

#include "base/utf8.h"

namespace npuprof {
namespace {

void append_byte_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  if (c == '\n') {
    out += "\\n";
  } else {
    out += "\\x";
    out += kHexDigits[c >> 4];
    out += kHexDigits[c & 15];
  }
}

// How many bytes at the begin of `text` can be shown as they are: one character, or none.
std::size_t harmless_length(std::string_view text) {
  constexpr unsigned char kDelete = 0x7f;
  const auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x80) return c >= 0x20 && c != kDelete ? 1 : 0;
  // U+0080 to U+009F are control characters too.
  const bool is_control =
      c == 0xc2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
  return is_control ? 0 : utf8_length(text);
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = harmless_length(text.substr(at));
    if (length == 0 && kept.find(text[at]) != std::string_view::npos) length = 1;
    if (length == 0) append_byte_escape(out, static_cast<unsigned char>(text[at]));
    out.append(text.substr(at, length));
    at += length > 0 ? length : 1;
  }
  return out;
}

}  // namespace npuprof
