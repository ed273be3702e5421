#pragma once

// Text under construction: a growing block of characters with the number and quoting rules of the
// result files. Formatting is by hand because it is most of the cost of an export.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace npuprof::report {

class TextBuffer {
 public:
  explicit TextBuffer(std::size_t capacity = 1 << 16);
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;
  ~TextBuffer();

  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

  TextBuffer& text(std::string_view value) {
    if (value.empty()) return *this;  // Its pointer may be null.
    std::memcpy(room(value.size()), value.data(), value.size());
    size_ += value.size();
    return *this;
  }
  TextBuffer& character(char value) {
    *room(1) = value;
    ++size_;
    return *this;
  }
  template <Integer T>
  TextBuffer& integer(T value) {
    return wrote(write_integer(room(kMaxIntegerChars), value));
  }
  // Nanoseconds as microseconds with three decimals: 1234567 is "1234.567".
  TextBuffer& microseconds(std::int64_t ns) {
    return wrote(write_scaled<3>(room(kMaxIntegerChars + 2), ns));
  }
  // The same without zeros at the end, but with one decimal at least: "1234.5", "3.0".
  TextBuffer& trimmed_microseconds(std::int64_t ns);
  // The shortest text that reads back as the same double, in Python's form: "53.0", "1e-05",
  // "1e+16".
  TextBuffer& real(double value);
  // Fixed decimals, rounded half to even on the binary value, as C's printf does.
  TextBuffer& fixed(double value, int decimals);

  // At most `decimals` decimals, zeros at the end left out: "302", "3.775". Halves are rounded away
  // from zero, as SQLite does: 1.1275 is "1.128". With `point` a whole number keeps one decimal:
  // "302.0".
  TextBuffer& rounded(double value, int decimals, bool point = false);

  // A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
  TextBuffer& json(std::string_view value);
  // The same for parts joined by ';', each on a line of its own.
  TextBuffer& json_lines(std::string_view value);
  // A CSV field: quoted only if it holds a comma, a quote or a line end; quotes inside are doubled.
  // What spreadsheets would take for a formula gets an apostrophe in front (base/csv_guard.h).
  TextBuffer& csv(std::string_view value);
  // The same for parts joined by ';', each on a line of its own.
  TextBuffer& csv_lines(std::string_view value);

 private:
  // Texts of numbers seen before: in most columns the same few come again and again.
  class RealTexts;

  TextBuffer& json_content(std::string_view value);
  TextBuffer& csv_content(std::string_view value);

  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_.get() + size_;
  }
  TextBuffer& wrote(const char* end) {
    size_ = static_cast<std::size_t>(end - data_.get());
    return *this;
  }
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::unique_ptr<RealTexts> reals_;
};

}  // namespace npuprof::report
