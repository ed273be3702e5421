#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// When one device computes: add() all intervals, prepare(), then ask.
class ComputingTime {
 public:
  void add(Interval interval) { intervals_.push_back(interval); }

  void prepare() {
    intervals_ = merge_intervals(std::move(intervals_));
    before_ns_.reserve(intervals_.size() + 1);
    before_ns_.push_back(0);
    for (const Interval& interval : intervals_) {
      before_ns_.push_back(
          saturated_sum(before_ns_.back(), saturated_difference(interval.end, interval.begin)));
    }
  }

  std::int64_t within(std::int64_t start_ns, std::int64_t end_ns) const {
    return saturated_difference(until(end_ns), until(start_ns));
  }

 private:
  // All of it before a time.
  std::int64_t until(std::int64_t time_ns) const {
    const auto next =
        std::partition_point(intervals_.begin(), intervals_.end(),
                             [&](const Interval& interval) { return interval.begin < time_ns; });
    const auto count = static_cast<std::size_t>(next - intervals_.begin());
    if (count == 0) return 0;
    const Interval& last = intervals_[count - 1];
    return saturated_sum(before_ns_[count - 1],
                         saturated_difference(std::min(last.end, time_ns), last.begin));
  }

  std::vector<Interval> intervals_;
  std::vector<std::int64_t> before_ns_;  // By interval: the length of all before it.
};

// By device; empty if the profile does not tell.
std::map<std::uint16_t, ComputingTime> computing_times(const trace::Trace& trace);

}  // namespace npuprof::analyze
