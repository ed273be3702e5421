#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

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

}  // namespace npuprof::report
