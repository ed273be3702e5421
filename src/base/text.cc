#include "base/text.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace npuprof {
namespace {

// "00" "01" ... "99": two digits a division instead of one.
constexpr std::array<char, 200> kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (auto& entry : powers) {
    entry = power;
    power *= 10;
  }
  return powers;
}();

int count_digits(std::uint64_t value) {
  // bits * 1233 / 4096 approximates bits * log10(2) and is at most one too small.
  const int bits = std::bit_width(value | 1);
  const int guess = (bits * 1233) >> 12;
  return guess + (value >= kPowersOfTen[static_cast<std::size_t>(guess)] ? 1 : 0);
}

void put_pair(char* out, std::uint32_t pair) { std::memcpy(out, kDigitPairs.data() + pair * 2, 2); }

// Writes a value below 10^8 with all its eight digits. Where bytes of a number lie in memory from
// the lowest up, the digits are found side by side in one number: first two of four digits, then
// four of two, then eight, dividing by multiplication.
void put_eight(char* out, std::uint32_t value) {
  if constexpr (std::endian::native == std::endian::little) {
    const std::uint64_t fours = value / 10000 | std::uint64_t{value % 10000} << 32;
    const std::uint64_t hundreds = (fours * 5243 >> 19) & 0x0000007F0000007F;
    const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const std::uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000F;
    const std::uint64_t digits = (tens | (twos - 10 * tens) << 8) + 0x3030303030303030;
    std::memcpy(out, &digits, sizeof(digits));
    return;
  }
  const std::uint32_t high = value / 10000;
  const std::uint32_t low = value % 10000;
  put_pair(out, high / 100);
  put_pair(out + 2, high % 100);
  put_pair(out + 4, low / 100);
  put_pair(out + 6, low % 100);
}

// Fills [out, out + digits) from its end.
void fill_digits(char* out, std::uint64_t value, int digits) {
  char* end = out + digits;
  while (end - out >= 8) {
    end -= 8;
    put_eight(end, static_cast<std::uint32_t>(value % 100'000'000));
    value /= 100'000'000;
  }
  auto rest = static_cast<std::uint32_t>(value % 100'000'000);
  while (end - out >= 2) {
    end -= 2;
    put_pair(end, rest % 100);
    rest /= 100;
  }
  if (end != out) *out = static_cast<char>('0' + rest % 10);
}

constexpr std::string_view kBlanks = " \t\r\n\v\f";

}  // namespace

char* write_unsigned(char* out, std::uint64_t value) {
  if (value < 10) {
    *out = static_cast<char>('0' + value);
    return out + 1;
  }
  const int digits = count_digits(value);
  fill_digits(out, value, digits);
  return out + digits;
}

char* write_signed(char* out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0) return write_unsigned(out, bits);
  *out = '-';
  return write_unsigned(out + 1, 0 - bits);
}

char* write_digits(char* out, std::uint64_t value, int digits) {
  fill_digits(out, value, digits);
  return out + digits;
}

char* write_double(char* out, double value) {
  // std::to_chars alone would write 100000 as "1e+05", the shorter text.
  const double magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-5 && magnitude < 1e16);
  const auto result =
      plain ? std::to_chars(out, out + kMaxDoubleChars, value, std::chars_format::fixed)
            : std::to_chars(out, out + kMaxDoubleChars, value);
  return result.ptr;
}

void append_double(std::string& text, double value) {
  char buffer[kMaxDoubleChars];
  text.append(buffer, write_double(buffer, value));
}

void split(std::string_view text, char separator, std::vector<std::string_view>& parts) {
  parts.clear();
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  split(text, separator, parts);
  return parts;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

namespace {

std::optional<std::int64_t> scale_by_double(std::string_view text, int decimals) {
  const auto value = parse_number<double>(text);
  if (!value) return std::nullopt;
  constexpr double kLimit = 9.2e18;
  const double scaled = std::round(*value * std::pow(10.0, decimals));
  if (!(std::fabs(scaled) < kLimit)) return std::nullopt;
  return static_cast<std::int64_t>(scaled);
}

}  // namespace

std::optional<std::int64_t> parse_scaled(std::string_view text, int decimals) {
  const std::string_view whole = text;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  // What can take one more digit and be rounded up.
  constexpr std::int64_t kLimit = (std::numeric_limits<std::int64_t>::max() - 10) / 10;
  std::int64_t value = 0;
  int missing = decimals;  // Decimals still to come, below 0 when all were seen.
  bool after_point = false;
  bool has_digit = false;
  bool round_up = false;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') return scale_by_double(whole, decimals);
    has_digit = true;
    if (after_point && --missing < 0) {
      if (missing == -1) round_up = c >= '5';
      continue;
    }
    if (value > kLimit) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (!has_digit) return std::nullopt;
  for (; missing > 0; --missing) {
    if (value > kLimit) return std::nullopt;
    value *= 10;
  }
  value += round_up ? 1 : 0;
  return negative ? -value : value;
}

}  // namespace npuprof
