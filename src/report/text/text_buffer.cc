#include "report/text/text_buffer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/csv_guard.h"
#include "base/json_writer.h"

namespace npuprof::report {
namespace {

// Texts are looked at eight characters at a time, as bytes of one number. The functions below set
// the high bit of (at least) the lowest byte that has the property, and none if no byte has it.
constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

constexpr std::uint64_t bytes_equal(std::uint64_t bytes, char c) {
  const std::uint64_t difference = bytes ^ (kOnes * static_cast<unsigned char>(c));
  return (difference - kOnes) & ~difference & kHighBits;
}
constexpr std::uint64_t bytes_below(std::uint64_t bytes, unsigned char limit) {
  return (bytes - kOnes * limit) & ~bytes & kHighBits;
}

// What cannot stand in a JSON string as it is: quotes, control characters, and everything beyond
// ASCII, which must be checked.
struct SpecialInJson {
  std::uint64_t operator()(std::uint64_t bytes) const {
    return bytes_below(bytes, 0x20) | (bytes & kHighBits) | bytes_equal(bytes, '"') |
           bytes_equal(bytes, '\\');
  }
};
// What makes a CSV field need quotes.
struct SpecialInCsv {
  std::uint64_t operator()(std::uint64_t bytes) const {
    return bytes_equal(bytes, ',') | bytes_equal(bytes, '"') | bytes_equal(bytes, '\r') |
           bytes_equal(bytes, '\n');
  }
};

template <typename Number>
std::uint64_t load(const char* from) {
  Number number = 0;
  std::memcpy(&number, from, sizeof(number));
  return number;
}

template <typename Special>
bool contains(std::string_view text, Special special) {
  constexpr std::uint64_t kBlanks = kOnes * ' ';
  const char* at = text.data();
  std::size_t left = text.size();
  if (left >= 8) {
    for (; left > 8; at += 8, left -= 8) {
      if (special(load<std::uint64_t>(at)) != 0) return true;
    }
    return special(load<std::uint64_t>(at + left - 8)) != 0;  // The last eight, some seen before.
  }
  if (left >= 4) {
    return special(load<std::uint32_t>(at) | load<std::uint32_t>(at + left - 4) << 32) != 0;
  }
  std::uint64_t bytes = kBlanks;
  for (std::size_t i = 0; i < left; ++i) bytes = bytes << 8 | static_cast<unsigned char>(at[i]);
  return special(bytes) != 0;
}

}  // namespace

// One place for each value of a hash of the bits.
class TextBuffer::RealTexts {
 public:
  struct Entry {
    double value;
    std::uint8_t size;  // 0 = free.
    char text[23];
  };
  Entry& place_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return entries_[(bits * 0x9E3779B97F4A7C15) >> (64 - kBits)];
  }

 private:
  static constexpr int kBits = 12;
  std::vector<Entry> entries_{std::size_t{1} << kBits};
};

TextBuffer::TextBuffer(std::size_t capacity)
    : data_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity) {}

TextBuffer::~TextBuffer() = default;

void TextBuffer::grow(std::size_t bytes) {
  std::size_t capacity = capacity_ * 2;
  while (capacity - size_ < bytes) capacity *= 2;
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

TextBuffer& TextBuffer::trimmed_microseconds(std::int64_t ns) {
  char* end = write_scaled<3>(room(kMaxIntegerChars + 2), ns);
  if (end[-1] == '0') --end;
  if (end[-1] == '0') --end;
  return wrote(end);
}

namespace {

char* write_real(char* out, double value) {
  const double magnitude = std::abs(value);
  const bool exponent = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  char* end = std::to_chars(out, out + kMaxDoubleChars, value, format).ptr;
  if (!exponent && std::memchr(out, '.', static_cast<std::size_t>(end - out)) == nullptr) {
    *end++ = '.';
    *end++ = '0';
  }
  return end;
}

// Writes a value whose decimals can be had by a multiplication: `out` moves to its end. False, and
// nothing is written, if the product is too near to the middle between two results (or too large)
// to say which way the exact value rounds.
bool write_fixed_fast(char*& out, double value, int decimals) {
  constexpr std::array<std::uint64_t, 5> kPowers = {1, 10, 100, 1000, 10000};
  if (static_cast<std::size_t>(decimals) >= kPowers.size()) return false;
  const std::uint64_t power = kPowers[static_cast<std::size_t>(decimals)];
  const double scaled = std::abs(value) * static_cast<double>(power);
  if (!(scaled < 0x1p52)) return false;
  auto number = static_cast<std::uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(number);
  // The product is off by less than its last bit.
  if (std::abs(rest - 0.5) <= scaled * 0x1p-52) return false;
  if (rest > 0.5) ++number;
  if (std::signbit(value)) *out++ = '-';
  out = write_unsigned(out, number / power);
  if (decimals > 0) {
    *out++ = '.';
    out = write_digits(out, number % power, decimals);
  }
  return true;
}

}  // namespace

TextBuffer& TextBuffer::real(double value) {
  if (!std::isfinite(value)) return text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  if (!reals_) reals_ = std::make_unique<RealTexts>();
  char* const out = room(kMaxDoubleChars + 2);
  RealTexts::Entry& known = reals_->place_of(value);
  // Compared by bits: -0.0 has a text of its own.
  if (known.size != 0 &&
      std::bit_cast<std::uint64_t>(known.value) == std::bit_cast<std::uint64_t>(value)) {
    std::memcpy(out, known.text, sizeof(known.text));
    return wrote(out + known.size);
  }
  const char* const end = write_real(out, value);
  const auto size = static_cast<std::size_t>(end - out);
  if (size <= sizeof(known.text)) {
    known.value = value;
    known.size = static_cast<std::uint8_t>(size);
    std::memcpy(known.text, out, size);
  }
  return wrote(end);
}

TextBuffer& TextBuffer::fixed(double value, int decimals) {
  // 309 digits before the point at most.
  const std::size_t most = static_cast<std::size_t>(decimals) + 320;
  char* out = room(most);
  if (write_fixed_fast(out, value, decimals)) return wrote(out);
  return wrote(std::to_chars(out, out + most, value, std::chars_format::fixed, decimals).ptr);
}

TextBuffer& TextBuffer::rounded(double value, int decimals, bool point) {
  const std::size_t begin = size_;
  // A decimal that ends with 5 is often a hair too small as a binary number. For greater numbers
  // the addition could itself change a digit.
  constexpr double kHair = 3e-16;
  constexpr double kGreat = 1e10;
  fixed(std::abs(value) < kGreat ? value + value * kHair : value, decimals);
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

TextBuffer& TextBuffer::json_content(std::string_view value) {
  if (!contains(value, SpecialInJson{})) return text(value);
  std::string escaped;
  append_json_escaped(escaped, value);
  return text(escaped);
}

TextBuffer& TextBuffer::json(std::string_view value) {
  return character('"').json_content(value).character('"');
}

TextBuffer& TextBuffer::json_lines(std::string_view value) {
  character('"');
  for (std::size_t at = value.find(';'); at != std::string_view::npos; at = value.find(';')) {
    json_content(value.substr(0, at + 1)).text("\\r\\n");
    value.remove_prefix(at + 1);
  }
  return json_content(value).character('"');
}

// Between quotes, quotes are doubled.
TextBuffer& TextBuffer::csv_content(std::string_view value) {
  for (std::size_t at = value.find('"'); at != std::string_view::npos; at = value.find('"')) {
    text(value.substr(0, at + 1)).character('"');
    value.remove_prefix(at + 1);
  }
  return text(value);
}

TextBuffer& TextBuffer::csv(std::string_view value) {
  const std::string_view guard = needs_csv_guard(value) ? "'" : "";
  if (!contains(value, SpecialInCsv{})) return text(guard).text(value);
  return character('"').text(guard).csv_content(value).character('"');
}

TextBuffer& TextBuffer::csv_lines(std::string_view value) {
  std::size_t at = value.find(';');
  if (at == std::string_view::npos) return csv(value);
  character('"').text(needs_csv_guard(value) ? "'" : "");
  for (; at != std::string_view::npos; at = value.find(';')) {
    csv_content(value.substr(0, at + 1)).text("\r\n");
    value.remove_prefix(at + 1);
  }
  return csv_content(value).character('"');
}

}  // namespace npuprof::report
