#include "analyze/chosen_times.h"

#include <algorithm>
#include <string>
#include <utility>

#include "trace/framework/steps.h"

namespace npuprof::analyze {
namespace {

bool is_in_ranges(std::span<const StepRange> ranges, std::int64_t number) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const StepRange& range) {
    return range.first <= number && number <= range.last;
  });
}

}  // namespace

TimeSet::TimeSet(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  for (const Interval& interval : intervals) {
    if (!intervals_.empty() && interval.begin <= intervals_.back().end) {
      intervals_.back().end = std::max(intervals_.back().end, interval.end);
    } else {
      intervals_.push_back(interval);
    }
  }
}

bool TimeSet::contains(std::int64_t time_ns) const {
  const auto next = std::upper_bound(
      intervals_.begin(), intervals_.end(), time_ns,
      [](std::int64_t time, const Interval& interval) { return time < interval.begin; });
  return next != intervals_.begin() && time_ns < std::prev(next)->end;
}

Result<ChosenTimes> ChosenTimes::of_steps(const trace::Steps& steps,
                                          std::span<const StepRange> ranges) {
  ChosenTimes chosen;
  if (ranges.empty()) return chosen;
  if (steps.size() == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the profile has no steps, so none can be chosen: leave out --steps"};
  }
  chosen.is_all_ = false;
  chosen.ranges_.assign(ranges.begin(), ranges.end());
  chosen.finder_.emplace(steps, StepFinder::End::kExcluded);
  chosen.is_chosen_.resize(steps.size());
  std::vector<Interval> host;
  std::vector<Interval> whole;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!is_in_ranges(ranges, steps.id[i])) continue;
    chosen.is_chosen_[i] = 1;
    const std::int64_t begin_ns = steps.host_start_ns[i];
    host.push_back({begin_ns, steps.host_end_ns[i]});
    whole.push_back({std::min(begin_ns, steps.device_start_ns[i]), steps.device_end_ns[i]});
  }
  if (host.empty()) {
    const auto [first, last] = std::minmax_element(steps.id.begin(), steps.id.end());
    return Error{ErrorCode::kInvalidArgument,
                 "the profile has none of the chosen steps; it has steps " +
                     std::to_string(*first) + " to " + std::to_string(*last)};
  }
  chosen.host_ = TimeSet(std::move(host));
  chosen.whole_ = TimeSet(std::move(whole));
  return chosen;
}

ChosenTimes ChosenTimes::of_ranges(std::vector<Interval> ranges) {
  ChosenTimes chosen;
  chosen.is_all_ = false;
  chosen.host_ = TimeSet(std::move(ranges));
  chosen.whole_ = chosen.host_;
  return chosen;
}

bool ChosenTimes::device(std::int64_t time_ns) const {
  if (is_all_) return true;
  return finder_ ? has_step(finder_->find(time_ns)) : whole_.contains(time_ns);
}

bool ChosenTimes::has_number(std::optional<std::int64_t> number) const {
  return is_all_ || (number && is_in_ranges(ranges_, *number));
}

}  // namespace npuprof::analyze
