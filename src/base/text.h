#pragma once

// Numbers to text and back, without locale and without allocation. The write_* functions put
// characters at `out`, which must have room for the stated maximum, and return the end of what they
// wrote; the append_* functions do the same at the end of a string. No terminating zero is written.

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuprof {

template <typename T>
concept Integer = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

// "-9223372036854775808" or "18446744073709551615", one decimal point and one leading zero.
inline constexpr std::size_t kMaxIntegerChars = 22;
inline constexpr std::size_t kMaxDoubleChars = 32;

char* write_unsigned(char* out, std::uint64_t value);
char* write_signed(char* out, std::int64_t value);

// Writes the last `digits` decimal digits of `value`, zeros included.
char* write_digits(char* out, std::uint64_t value, int digits);

template <Integer T>
char* write_integer(char* out, T value) {
  if constexpr (std::signed_integral<T>) {
    return write_signed(out, value);
  } else {
    return write_unsigned(out, value);
  }
}

// Writes value / 10^kDecimals with exactly kDecimals decimals: nanoseconds as microseconds are
// write_scaled<3>(out, 1234567), "1234.567".
template <int kDecimals>
char* write_scaled(char* out, std::int64_t value) {
  static_assert(kDecimals >= 1 && kDecimals <= 18);
  constexpr std::uint64_t kScale = [] {
    std::uint64_t scale = 1;
    for (int i = 0; i < kDecimals; ++i) scale *= 10;
    return scale;
  }();
  auto magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) {
    *out++ = '-';
    magnitude = 0 - magnitude;
  }
  out = write_unsigned(out, magnitude / kScale);
  *out++ = '.';
  return write_digits(out, magnitude % kScale, kDecimals);
}

// Writes the shortest text that reads back as the same double: plain decimals where a person would
// write them ("100000", "0.00025"), an exponent for the very large and small ("1e+16"). Non-finite
// values give "inf", "-inf", "nan".
char* write_double(char* out, double value);

template <Integer T>
void append_integer(std::string& text, T value) {
  char buffer[kMaxIntegerChars];
  text.append(buffer, write_integer(buffer, value));
}
void append_double(std::string& text, double value);

// The parts of `text` between separators; n separators give n + 1 parts, so "" is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// The same into a vector whose memory is used again, for loops over many lines.
void split(std::string_view text, char separator, std::vector<std::string_view>& parts);

// Without the spaces, tabs and line ends at both sides.
std::string_view trim(std::string_view text);

// Reads all of `text` as one decimal number: no blanks, no '+', nothing left over, no overflow, and
// for floating point no "inf" or "nan".
template <typename T>
requires(Integer<T> ||
         std::floating_point<T>) std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  if constexpr (std::floating_point<T>) {
    // The negation also catches NaN.
    if (!(value >= std::numeric_limits<T>::lowest() && value <= std::numeric_limits<T>::max())) {
      return std::nullopt;
    }
  }
  return value;
}

// Reads all of `text` as a decimal number and gives it times 10^decimals, rounded to the nearest:
// microseconds as nanoseconds are parse_scaled("1234.5671", 3), 1234567. Exact for any number of
// digits, where a double is not; also takes an exponent. At most 18 decimals.
std::optional<std::int64_t> parse_scaled(std::string_view text, int decimals);

// Reads all of `text` as one hexadecimal number, with or without a leading "0x".
template <std::unsigned_integral T>
std::optional<T> parse_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace npuprof
