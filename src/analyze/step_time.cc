#include "analyze/step_time.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Sums {
  StepTime time;
  std::int64_t first_ns = kNever;  // Of any activity or free interval.
  std::int64_t last_ns = 0;
  std::int64_t first_activity_ns = kNever;  // Of computing or communication.
};

// Finds the step that a time lies in. Steps do not overlap on the host, but the device may still
// work for one when the next begins: the first one that fits wins, as for the vendor's tools.
class StepFinder {
 public:
  explicit StepFinder(const trace::Steps& steps) : steps_(steps) {
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (steps.has_kernels[i] != 0) usable_.push_back(i);
    }
  }
  bool empty() const { return usable_.empty(); }
  // Row in Steps, kNone = outside.
  std::uint32_t find(std::int64_t time_ns) const {
    for (const std::uint32_t step : usable_) {
      if (time_ns >= steps_.device_start_ns[step] && time_ns < steps_.device_end_ns[step])
        return step;
    }
    return trace::kNone;
  }

 private:
  const trace::Steps& steps_;
  std::vector<std::uint32_t> usable_;
};

class StepTimes {
 public:
  explicit StepTimes(const trace::Trace& trace) : trace_(trace), finder_(trace.steps) {}

  std::vector<StepTime> compute() {
    add_intervals();
    add_bubbles();
    std::vector<StepTime> rows;
    for (auto& [key, sums] : sums_) rows.push_back(finish(key.first, key.second, sums));
    std::stable_sort(rows.begin(), rows.end(), [](const StepTime& a, const StepTime& b) {
      return std::pair(a.device, a.step) < std::pair(b.device, b.step);
    });
    return rows;
  }

 private:
  Sums* sums_at(std::uint16_t device, std::int64_t time_ns) {
    const std::uint32_t step = finder_.empty() ? trace::kNone : finder_.find(time_ns);
    if (step == trace::kNone && !finder_.empty()) return nullptr;
    return &sums_[{device, step}];
  }

  void add_intervals() {
    const auto& intervals = trace_.overlap_intervals;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      Sums* sums = sums_at(intervals.device[i], intervals.start_ns[i]);
      if (sums == nullptr) continue;
      const std::int64_t length = intervals.end_ns[i] - intervals.start_ns[i];
      sums->first_ns = std::min(sums->first_ns, intervals.start_ns[i]);
      sums->last_ns = std::max(sums->last_ns, intervals.end_ns[i]);
      switch (static_cast<trace::OverlapKind>(intervals.kind[i])) {
        case trace::OverlapKind::kComputing:
          sums->time.computing_ns += length;
          sums->first_activity_ns = std::min(sums->first_activity_ns, intervals.start_ns[i]);
          break;
        case trace::OverlapKind::kCommunication:
          sums->time.communication_ns += length;
          sums->first_activity_ns = std::min(sums->first_activity_ns, intervals.start_ns[i]);
          break;
        case trace::OverlapKind::kNotOverlapped:
          sums->time.not_overlapped_ns += length;
          break;
        case trace::OverlapKind::kFree:
          sums->time.free_ns += length;
          break;
      }
    }
  }

  void add_bubbles() {
    const auto& ops = trace_.collective_ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!trace_.strings.view(ops.name[i]).starts_with("hcom_receive")) continue;
      Sums* sums = sums_at(ops.device[i], ops.start_ns[i]);
      if (sums != nullptr) sums->time.bubble_ns += ops.end_ns[i] - ops.start_ns[i];
    }
  }

  StepTime finish(std::uint16_t device, std::uint32_t step, Sums& sums) const {
    StepTime& time = sums.time;
    time.device = device;
    if (sums.first_ns != kNever) time.stage_ns = sums.last_ns - sums.first_ns - time.bubble_ns;
    std::int64_t host_start_ns = kNever;
    if (step != trace::kNone) {
      time.step = trace_.steps.id[step];
      host_start_ns = trace_.steps.host_start_ns[step];
    } else {
      for (const std::int64_t start : trace_.framework_ops.start_ns) {
        host_start_ns = std::min(host_start_ns, start);
      }
    }
    if (sums.first_activity_ns != kNever && host_start_ns != kNever) {
      time.preparing_ns = sums.first_activity_ns - host_start_ns;
    }
    return time;
  }

  const trace::Trace& trace_;
  StepFinder finder_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, Sums> sums_;
};

}  // namespace

std::vector<StepTime> step_times(const trace::Trace& trace) {
  if (trace.overlap_intervals.size() == 0) return {};
  return StepTimes(trace).compute();
}

}  // namespace npuprof::analyze
