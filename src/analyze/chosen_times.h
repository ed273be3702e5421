#pragma once

// When that happened which was chosen: all of a profile, some steps, or a range of time.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/step_finder.h"
#include "base/interval_sweep.h"
#include "base/result.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Step numbers, both ends included.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// The times in any of some intervals.
class TimeSet {
 public:
  TimeSet() = default;
  explicit TimeSet(std::vector<Interval> intervals);

  bool contains(std::int64_t time_ns) const;
  // From the first to the last time; there has to be an interval.
  Interval span() const { return {intervals_.front().begin, intervals_.back().end}; }

 private:
  std::vector<Interval> intervals_;  // In order; they do not touch.
};

class ChosenTimes {
 public:
  ChosenTimes() = default;  // All times.
  // No ranges = all. Fails if there is none of the steps, which must live as long.
  static Result<ChosenTimes> of_steps(const trace::Steps& steps, std::span<const StepRange> ranges);
  static ChosenTimes of_ranges(std::vector<Interval> ranges);

  bool is_all() const { return is_all_; }
  // What began then on the host, or on the device, or on either of them, was chosen.
  bool host(std::int64_t time_ns) const { return is_all_ || host_.contains(time_ns); }
  bool device(std::int64_t time_ns) const;
  bool either(std::int64_t time_ns) const { return is_all_ || whole_.contains(time_ns); }
  // By row of Steps; kNone is outside of all.
  bool has_step(std::uint32_t row) const {
    return is_all_ || (row < is_chosen_.size() && is_chosen_[row] != 0);
  }
  // By number; nothing is outside of all.
  bool has_number(std::optional<std::int64_t> number) const;
  // From the first to the last chosen time, unless all are.
  Interval span() const { return whole_.span(); }

 private:
  bool is_all_ = true;
  std::vector<StepRange> ranges_;
  std::optional<StepFinder> finder_;     // Of all steps: what began in one may run on in the next.
  std::vector<std::uint8_t> is_chosen_;  // By row of Steps.
  TimeSet host_;
  TimeSet whole_;  // On the host and on the device.
};

}  // namespace npuprof::analyze
