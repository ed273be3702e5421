#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace npuprof {
namespace {

constexpr std::uint64_t kLowBitOfBytes = 0x0101010101010101;
constexpr std::uint64_t kHighBitOfBytes = 0x8080808080808080;

// The place of the first byte that is part of no character, the size of the text if there is none.
// Whether zero is a character is the caller's to say.
template <bool kTakesZero>
std::size_t find_bad_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Names are ASCII nearly always: step over eight such bytes at once.
    if (text.size() - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      // A zero byte borrows from its high bit; so may the byte after it, which is looked at below.
      const std::uint64_t borrowed = kTakesZero ? 0 : word - kLowBitOfBytes;
      if (((word | borrowed) & kHighBitOfBytes) == 0) {
        at += 8;
        continue;
      }
    }
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if (!kTakesZero && byte == 0) return at;
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

}  // namespace

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

bool is_valid_utf8(std::string_view text) { return find_bad_byte<true>(text) == text.size(); }

bool is_clean_text(std::string_view text) { return find_bad_byte<false>(text) == text.size(); }

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (;;) {
    const std::size_t bad = find_bad_byte<false>(text);
    clean.append(text.substr(0, bad));
    if (bad == text.size()) return clean;
    clean += kReplacementCharacter;
    text.remove_prefix(bad + 1);
  }
}

}  // namespace npuprof
