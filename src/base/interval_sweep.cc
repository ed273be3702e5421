#include "base/interval_sweep.h"

#include <algorithm>
#include <limits>

namespace npuprof {
namespace {

// The length of a nonempty interval can need all 64 bits, and so can the sum over disjoint ones.
std::uint64_t length(const Interval& interval) {
  return static_cast<std::uint64_t>(interval.end) - static_cast<std::uint64_t>(interval.begin);
}

std::int64_t clamp_length(std::uint64_t value) {
  constexpr std::uint64_t kMaximum = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, kMaximum));
}

bool begins_before(const Interval& a, const Interval& b) { return a.begin < b.begin; }

// Calls `visit` with each common part of two merged lists.
template <typename Visit>
void for_each_overlap(std::span<const Interval> a, std::span<const Interval> b, Visit visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Interval common{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (common.begin < common.end) visit(common);
    // Whichever ends first has met all it can meet.
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

std::vector<Interval> merge_intervals(std::vector<Interval> intervals) {
  if (!std::is_sorted(intervals.begin(), intervals.end(), begins_before)) {
    std::sort(intervals.begin(), intervals.end(), begins_before);
  }
  std::size_t kept = 0;
  for (const Interval interval : intervals) {
    if (interval.begin >= interval.end) continue;
    if (kept > 0 && interval.begin <= intervals[kept - 1].end) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, interval.end);
    } else {
      intervals[kept++] = interval;
    }
  }
  intervals.resize(kept);
  return intervals;
}

std::int64_t total_length(std::span<const Interval> merged) {
  std::uint64_t total = 0;
  for (const Interval& interval : merged) total += length(interval);
  return clamp_length(total);
}

std::int64_t overlap_length(std::span<const Interval> a, std::span<const Interval> b) {
  std::uint64_t total = 0;
  for_each_overlap(a, b, [&](const Interval& common) { total += length(common); });
  return clamp_length(total);
}

std::vector<Interval> difference(std::span<const Interval> a, std::span<const Interval> b) {
  std::vector<Interval> result;
  std::size_t j = 0;
  for (Interval rest : a) {
    while (j < b.size() && b[j].end <= rest.begin) ++j;
    // The last interval of `b` met here may reach into the next of `a`, so j stays on it.
    for (std::size_t k = j; k < b.size() && b[k].begin < rest.end; ++k) {
      if (rest.begin < b[k].begin) result.push_back({rest.begin, b[k].begin});
      rest.begin = b[k].end;
      j = k;
      if (rest.begin >= rest.end) break;
    }
    if (rest.begin < rest.end) result.push_back(rest);
  }
  return result;
}

}  // namespace npuprof
