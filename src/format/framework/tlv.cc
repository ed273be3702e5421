#include "format/framework/tlv.h"

namespace npuprof::format::framework {
namespace {

// The length of the multi-byte sequence at `text`, of which `left` > 0 bytes remain; 0 if
// malformed. The first continuation byte has a narrower range after E0, ED, F0 and F4: that
// excludes overlong forms, surrogates and values above U+10FFFF.
std::size_t sequence_length(const unsigned char* text, std::size_t left) {
  const unsigned char lead = text[0];
  std::size_t length = 0;
  unsigned char lowest = 0x80;
  unsigned char highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) lowest = 0xA0;
    if (lead == 0xED) highest = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) lowest = 0x90;
    if (lead == 0xF4) highest = 0x8F;
  }
  if (length == 0 || length > left || text[1] < lowest || text[1] > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t position = 0;
  while (position < text.size()) {
    // Names are ASCII nearly always: step over eight such bytes at once.
    if (text.size() - position >= 8) {
      std::uint64_t word;
      std::memcpy(&word, data + position, 8);
      if ((word & 0x8080808080808080U) == 0) {
        position += 8;
        continue;
      }
    }
    if (data[position] < 0x80) {
      ++position;
      continue;
    }
    const std::size_t length = sequence_length(data + position, text.size() - position);
    if (length == 0) return false;
    position += length;
  }
  return true;
}

}  // namespace npuprof::format::framework
