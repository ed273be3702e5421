#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace npuprof {

// Reads a number that consists of digits alone, eight at a time: databases have millions of times
// as text. Nothing for every other text, numbers with a sign among them, and for those that do not
// fit.
inline std::optional<std::int64_t> parse_digits(std::string_view text) {
  // No number of 20 digits fits, and none of 19 is too great for 64 bits without a sign.
  if (text.empty() || text.size() > 19) return std::nullopt;
  std::uint64_t number = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; text.size() >= 8; text.remove_prefix(8)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, text.data(), sizeof(eight));
      constexpr std::uint64_t kHighHalves = 0xF0F0F0F0F0F0F0F0;
      // '0' to '9' are 0x30 to 0x39: six more must not change the high half.
      const bool are_digits = (eight & kHighHalves) == 0x3030303030303030 &&
                              ((eight + 0x0606060606060606) & kHighHalves) == 0x3030303030303030;
      if (!are_digits) return std::nullopt;
      // The first digit is the lowest byte. Neighbours become numbers of two digits, of four, of
      // eight.
      eight = (eight & 0x0F0F0F0F0F0F0F0F) * (10 << 8 | 1) >> 8;
      eight = (eight & 0x00FF00FF00FF00FF) * (std::uint64_t{100} << 16 | 1) >> 16;
      eight = (eight & 0x0000FFFF0000FFFF) * (std::uint64_t{10'000} << 32 | 1) >> 32;
      number = number * 100'000'000 + eight;
    }
  }
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace npuprof
