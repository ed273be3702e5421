#include "analyze/step_time.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analyze/mindspore_step_time.h"
#include "analyze/step_finder.h"
#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct StepSums {
  StepTime time;
  std::int64_t first_ns = kNever;  // Of any activity or free interval.
  std::int64_t last_ns = 0;
  std::int64_t first_activity_ns = kNever;  // Of computing or communication.
  std::vector<Interval> computing;          // Only when times come from tasks.
  std::vector<Interval> communication;
};

class StepTimes {
 public:
  explicit StepTimes(const trace::Trace& trace)
      : trace_(trace), finder_(trace.steps(), StepFinder::End::kExcluded) {}

  std::vector<StepTime> from_intervals() {
    add_intervals();
    add_bubbles();
    return finish_all();
  }

  std::vector<StepTime> from_tasks() {
    const auto& kernels = trace_.kernels();
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (kernels.kind[i] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) continue;
      const auto task = kernels.task[i];
      const Interval time{trace_.tasks().start_ns[task], trace_.tasks().end_ns[task]};
      StepSums* sums = sums_at(trace_.tasks().device[task], time.begin);
      if (sums != nullptr) sums->computing.push_back(time);
    }
    const auto& ops = trace_.collective_ops();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      StepSums* sums = sums_at(ops.device[i], ops.start_ns[i]);
      if (sums != nullptr) sums->communication.push_back({ops.start_ns[i], ops.end_ns[i]});
    }
    for (auto& [key, sums] : sums_) add_up(sums);
    add_bubbles();
    return finish_all();
  }

 private:
  StepSums* sums_at(std::uint16_t device, std::int64_t time_ns) {
    const std::uint32_t step = finder_.empty() ? trace::kNone : finder_.find(time_ns);
    if (step == trace::kNone && !finder_.empty()) return nullptr;
    return &sums_[{device, step}];
  }

  void add_intervals() {
    const auto& intervals = trace_.overlap_intervals();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      StepSums* sums = sums_at(intervals.device[i], intervals.start_ns[i]);
      if (sums == nullptr) continue;
      const std::int64_t length = saturated_difference(intervals.end_ns[i], intervals.start_ns[i]);
      sums->first_ns = std::min(sums->first_ns, intervals.start_ns[i]);
      sums->last_ns = std::max(sums->last_ns, intervals.end_ns[i]);
      switch (static_cast<trace::OverlapKind>(intervals.kind[i])) {
        case trace::OverlapKind::kComputing:
          add_saturated(sums->time.computing_ns, length);
          sums->first_activity_ns = std::min(sums->first_activity_ns, intervals.start_ns[i]);
          break;
        case trace::OverlapKind::kCommunication:
          add_saturated(sums->time.communication_ns, length);
          sums->first_activity_ns = std::min(sums->first_activity_ns, intervals.start_ns[i]);
          break;
        case trace::OverlapKind::kNotOverlapped:
          add_saturated(sums->time.not_overlapped_ns, length);
          break;
        case trace::OverlapKind::kFree:
          add_saturated(sums->time.free_ns, length);
          break;
      }
    }
  }

  static void add_up(StepSums& sums) {
    const std::vector<Interval> computing = merge_intervals(std::move(sums.computing));
    const std::vector<Interval> communication = merge_intervals(std::move(sums.communication));
    for (const auto* list : {&computing, &communication}) {
      if (list->empty()) continue;
      sums.first_ns = std::min(sums.first_ns, list->front().begin);
      sums.last_ns = std::max(sums.last_ns, list->back().end);
    }
    sums.first_activity_ns = sums.first_ns;
    sums.time.computing_ns = total_length(computing);
    sums.time.communication_ns = total_length(communication);
    sums.time.not_overlapped_ns = total_length(difference(communication, computing));
    if (sums.first_ns == kNever) return;
    sums.time.free_ns =
        saturated_difference(saturated_difference(saturated_difference(sums.last_ns, sums.first_ns),
                                                  sums.time.computing_ns),
                             sums.time.not_overlapped_ns);
  }

  void add_bubbles() {
    const auto& ops = trace_.collective_ops();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!trace_.strings.view(ops.name[i]).starts_with("hcom_receive")) continue;
      StepSums* sums = sums_at(ops.device[i], ops.start_ns[i]);
      if (sums == nullptr) continue;
      add_saturated(sums->time.bubble_ns, saturated_difference(ops.end_ns[i], ops.start_ns[i]));
    }
  }

  std::vector<StepTime> finish_all() {
    std::vector<StepTime> rows;
    for (auto& [key, sums] : sums_) rows.push_back(finish(key.first, key.second, sums));
    std::stable_sort(rows.begin(), rows.end(), [](const StepTime& a, const StepTime& b) {
      return std::pair(a.device, a.step) < std::pair(b.device, b.step);
    });
    return rows;
  }

  StepTime finish(std::uint16_t device, std::uint32_t step, StepSums& sums) const {
    StepTime& time = sums.time;
    time.device = device;
    if (sums.first_ns != kNever) {
      time.stage_ns =
          saturated_difference(saturated_difference(sums.last_ns, sums.first_ns), time.bubble_ns);
    }
    std::int64_t host_start_ns = kNever;
    if (step != trace::kNone) {
      time.step = trace_.steps().id[step];
      host_start_ns = trace_.steps().host_start_ns[step];
    } else {
      for (const std::int64_t start : trace_.framework_ops().start_ns) {
        host_start_ns = std::min(host_start_ns, start);
      }
    }
    if (sums.first_activity_ns != kNever && host_start_ns != kNever) {
      time.preparing_ns = saturated_difference(sums.first_activity_ns, host_start_ns);
    }
    return time;
  }

  const trace::Trace& trace_;
  StepFinder finder_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, StepSums> sums_;
};

}  // namespace

std::vector<StepTime> step_times(const trace::Trace& trace) {
  if (trace.overlap_intervals().size() == 0) return {};
  if (trace.session.framework == trace::Framework::kMindSpore) return mindspore_step_times(trace);
  return StepTimes(trace).from_intervals();
}

std::vector<StepTime> step_task_times(const trace::Trace& trace) {
  return StepTimes(trace).from_tasks();
}

}  // namespace npuprof::analyze
