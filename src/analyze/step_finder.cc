#include "analyze/step_finder.h"

#include <algorithm>

#include "trace/framework/steps.h"

namespace npuprof::analyze {

StepFinder::StepFinder(const trace::Steps& steps, End end) : steps_(steps), end_(end) {
  std::int64_t latest_ns = INT64_MIN;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (steps.has_kernels[i] == 0) continue;
    latest_ns = std::max(latest_ns, steps.device_end_ns[i]);
    rows_.push_back(i);
    latest_end_ns_.push_back(latest_ns);
  }
  earliest_start_ns_.resize(rows_.size());
  std::int64_t earliest_ns = INT64_MAX;
  for (std::size_t i = rows_.size(); i-- > 0;) {
    earliest_ns = std::min(earliest_ns, steps.device_start_ns[rows_[i]]);
    earliest_start_ns_[i] = earliest_ns;
  }
}

std::uint32_t StepFinder::find(std::int64_t time_ns) const {
  const auto is_before_end = [&](std::int64_t end_ns) {
    return end_ == End::kIncluded ? time_ns <= end_ns : time_ns < end_ns;
  };
  // All steps before this one had ended.
  const auto candidate = std::partition_point(
      latest_end_ns_.begin(), latest_end_ns_.end(),
      [&](std::int64_t latest_end_ns) { return !is_before_end(latest_end_ns); });
  for (auto i = static_cast<std::size_t>(candidate - latest_end_ns_.begin());
       i < rows_.size() && earliest_start_ns_[i] <= time_ns; ++i) {
    const std::uint32_t step = rows_[i];
    if (time_ns >= steps_.device_start_ns[step] && is_before_end(steps_.device_end_ns[step])) {
      return step;
    }
  }
  return trace::kNone;
}

}  // namespace npuprof::analyze
