#pragma once

// Set arithmetic on the time line: how long was the device busy, how much communication was hidden
// behind computation. Intervals are half-open, [begin, end), in nanoseconds; one whose end is not
// after its begin is empty.
//
// A "merged" list is sorted, and its intervals are neither empty nor touching. merge_intervals()
// makes one; the other functions take merged lists and give merged lists, in one pass.

#include <cstdint>
#include <span>
#include <vector>

namespace npuprof {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

// The union of any intervals, as a merged list. Sorts only if they are not in order of begin.
std::vector<Interval> merge_intervals(std::vector<Interval> intervals);

// The lengths stop at the largest 64-bit number instead of overflowing.
std::int64_t total_length(std::span<const Interval> merged);
// The length of what is in both.
std::int64_t overlap_length(std::span<const Interval> a, std::span<const Interval> b);

// What is in `a` and not in `b`.
std::vector<Interval> difference(std::span<const Interval> a, std::span<const Interval> b);

}  // namespace npuprof
