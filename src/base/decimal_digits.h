#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace npuprof {

// Eight characters, for little-endian machines; the first `known` of them are taken for zeros.
class EightDigits {
 public:
  explicit EightDigits(const char* text, std::size_t known = 0) {
    std::memcpy(&digits_, text, sizeof(digits_));
    // The first character is the lowest byte.
    const std::uint64_t wanted = ~std::uint64_t{0} << (8 * known);
    digits_ = (digits_ & wanted) | (kZeros & ~wanted);
  }

  // Has bits that are set if one of them is no digit.
  std::uint64_t others() const {
    // '0' to '9' are 0x30 to 0x39: six more must not change the high half.
    constexpr std::uint64_t kHighHalves = 0xF0F0F0F0F0F0F0F0;
    return ((digits_ ^ kZeros) | ((digits_ + 0x0606060606060606) ^ kZeros)) & kHighHalves;
  }
  // Of digits alone. Neighbours become numbers of two digits, of four, of eight.
  std::uint64_t number() const {
    std::uint64_t number = (digits_ & 0x0F0F0F0F0F0F0F0F) * (10 << 8 | 1) >> 8;
    number = (number & 0x00FF00FF00FF00FF) * (std::uint64_t{100} << 16 | 1) >> 16;
    return (number & 0x0000FFFF0000FFFF) * (std::uint64_t{10'000} << 32 | 1) >> 32;
  }

 private:
  static constexpr std::uint64_t kZeros = 0x3030303030303030;
  std::uint64_t digits_ = 0;
};

// Reads a number that consists of digits alone, eight at a time: databases have millions of times
// as text. Nothing for every other text, numbers with a sign among them, and for those that do not
// fit.
inline std::optional<std::int64_t> parse_digits(std::string_view text) {
  // No number of 20 digits fits, and none of 19 is too great for 64 bits without a sign.
  if (text.empty() || text.size() > 19) return std::nullopt;
  std::uint64_t number = 0;
  std::uint64_t others = 0;
  if (std::endian::native == std::endian::little && text.size() > 16) {
    // Times in nanoseconds are as long.
    static constexpr std::uint64_t kPowers[] = {10, 100, 1000};
    const std::size_t rest = text.size() - 16;
    const EightDigits first(text.data());
    const EightDigits second(text.data() + 8);
    const EightDigits last(text.data() + 8 + rest, 8 - rest);
    others = first.others() | second.others() | last.others();
    number = (first.number() * 100'000'000 + second.number()) * kPowers[rest - 1] + last.number();
  } else {
    for (const char character : text) {
      const auto digit = static_cast<std::uint64_t>(character) - '0';
      others |= digit > 9 ? 1 : 0;
      number = number * 10 + digit;
    }
  }
  constexpr std::uint64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  if (others != 0 || number > kGreatest) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace npuprof
