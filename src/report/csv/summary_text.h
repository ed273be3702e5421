#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "report/text/text_buffer.h"

namespace npuprof::report {

// Least, greatest and mean of the numbers that are known.
class Range {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    least_ = count_ == 0 ? value : std::min(least_, value);
    greatest_ = count_ == 0 ? value : std::max(greatest_, value);
    sum_ += value;
    ++count_;
  }
  double least() const { return least_; }
  double greatest() const { return greatest_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  double least_ = 0;
  double greatest_ = 0;
  double sum_ = 0;
  std::size_t count_ = 0;
};

// One line of a small table, cell by cell. Numbers have at most three decimals and at least one.
class SummaryLine {
 public:
  explicit SummaryLine(std::string_view first_cell) : out_(kRoom) { out_.csv(first_cell); }
  explicit SummaryLine(std::uint64_t first_cell) : out_(kRoom) { out_.integer(first_cell); }

  SummaryLine& text(std::string_view value) {
    out_.character(',').csv(value);
    return *this;
  }
  template <Integer T>
  SummaryLine& integer(T value) {
    out_.character(',').integer(value);
    return *this;
  }
  SummaryLine& number(double value) {
    out_.character(',').rounded(value, 3, true);
    return *this;
  }
  // Without a point.
  SummaryLine& whole(double value) {
    out_.character(',').fixed(value, 0);
    return *this;
  }
  SummaryLine& fixed(double value) {
    out_.character(',').fixed(value, 3);
    return *this;
  }
  SummaryLine& time(std::int64_t ns) {
    out_.character(',').microseconds(ns).character('\t');
    return *this;
  }
  std::string take() const { return std::string(out_.view()); }

 private:
  static constexpr std::size_t kRoom = 256;
  TextBuffer out_;
};

}  // namespace npuprof::report
