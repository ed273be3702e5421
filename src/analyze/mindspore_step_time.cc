#include "analyze/mindspore_step_time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/saturated.h"
#include "format/mindspore/profiler_info.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

struct HostStep {
  std::int64_t id = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = kEndless;
  std::optional<std::int64_t> prepared_from_ns;

  bool contains(std::int64_t time_ns) const { return time_ns >= begin_ns && time_ns < end_ns; }
};

std::vector<HostStep> host_steps(const trace::Trace& trace) {
  std::vector<HostStep> steps;
  for (std::size_t i = 0; i < trace.steps().size(); ++i) {
    const std::int64_t begin_ns = trace.steps().host_start_ns[i];
    steps.push_back({trace.steps().id[i], begin_ns, trace.steps().host_end_ns[i], begin_ns});
  }
  if (!steps.empty()) return steps;
  HostStep all;
  const auto& starts = trace.framework_ops().start_ns;
  if (!starts.empty()) all.prepared_from_ns = *std::min_element(starts.begin(), starts.end());
  return {all};
}

bool is_send_or_receive(std::string_view name) {
  constexpr std::array<std::string_view, 5> kParts = {"SendRecv__", "hcom_send__", "hcom_receive__",
                                                      "Receive-op", "Send-op"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

// Steps of one device, in order of their begin.
class StepRows {
 public:
  StepRows(const trace::Trace& trace, const std::vector<HostStep>& steps, std::uint16_t device)
      : trace_(trace), steps_(steps), device_(device), times_(steps.size()), spans_(steps.size()) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      begins_.push_back(steps[i].begin_ns);
      times_[i].device = device;
      times_[i].step = steps[i].id;
    }
  }

  std::vector<StepTime> make() {
    add_overlap();
    add_collectives();
    add_preparing();
    return std::move(times_);
  }

 private:
  struct Span {
    std::int64_t first_ns = kEndless;
    std::int64_t last_start_ns = 0;
    std::int64_t last_end_ns = 0;
  };

  // The number of steps that begin at or before a time.
  std::size_t begun(std::int64_t time_ns) const {
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), time_ns) -
                                    begins_.begin());
  }
  // The step of a time; that of steps if it is in none.
  std::size_t find(std::int64_t time_ns) const {
    const std::size_t next = begun(time_ns);
    return next > 0 && steps_[next - 1].contains(time_ns) ? next - 1 : steps_.size();
  }

  void add_free(std::int64_t start_ns, std::int64_t end_ns) {
    const std::size_t next = begun(start_ns);
    for (std::size_t i = next > 0 ? next - 1 : 0; i < steps_.size(); ++i) {
      const std::int64_t begin = std::max(start_ns, steps_[i].begin_ns);
      const std::int64_t end = std::min(end_ns, steps_[i].end_ns);
      if (begin >= end_ns) break;
      if (end > begin) add_saturated(times_[i].free_ns, saturated_difference(end, begin));
    }
  }

  void add_overlap() {
    const auto& intervals = trace_.overlap_intervals();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      if (intervals.device[i] != device_) continue;
      const std::int64_t start_ns = intervals.start_ns[i];
      const auto kind = static_cast<trace::OverlapKind>(intervals.kind[i]);
      if (kind == trace::OverlapKind::kFree) {
        add_free(start_ns, intervals.end_ns[i]);
        continue;
      }
      const std::size_t step = find(start_ns);
      if (step == steps_.size()) continue;
      StepTime& time = times_[step];
      const std::int64_t length = saturated_difference(intervals.end_ns[i], start_ns);
      if (kind == trace::OverlapKind::kComputing) add_saturated(time.computing_ns, length);
      if (kind == trace::OverlapKind::kCommunication) add_saturated(time.communication_ns, length);
      if (kind == trace::OverlapKind::kNotOverlapped) add_saturated(time.not_overlapped_ns, length);
    }
  }

  void add_collectives() {
    const auto& ops = trace_.collective_ops();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const std::size_t step = find(ops.start_ns[i]);
      if (ops.device[i] != device_ || step == steps_.size()) continue;
      Span& span = spans_[step];
      span.first_ns = std::min(span.first_ns, ops.start_ns[i]);
      if (ops.start_ns[i] >= span.last_start_ns) {
        span.last_start_ns = ops.start_ns[i];
        span.last_end_ns = ops.end_ns[i];
      }
      if (!is_send_or_receive(trace_.strings.view(ops.name[i]))) continue;
      add_saturated(times_[step].bubble_ns, saturated_difference(ops.end_ns[i], ops.start_ns[i]));
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (spans_[i].first_ns == kEndless) continue;
      const std::int64_t whole_ns = saturated_difference(spans_[i].last_end_ns, spans_[i].first_ns);
      times_[i].stage_ns =
          std::max<std::int64_t>(0, saturated_difference(whole_ns, times_[i].bubble_ns));
    }
  }

  void add_preparing() {
    // Copies of data to the device belong to the preparation.
    const auto& intervals = trace_.overlap_intervals();
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto kind = static_cast<trace::OverlapKind>(intervals.kind[i]);
      const bool is_work =
          kind == trace::OverlapKind::kComputing || kind == trace::OverlapKind::kCommunication;
      if (is_work && intervals.device[i] == device_) starts.push_back(intervals.start_ns[i]);
    }
    std::sort(starts.begin(), starts.end());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto from_ns = steps_[i].prepared_from_ns;
      if (!from_ns) continue;
      const auto first = std::lower_bound(starts.begin(), starts.end(), *from_ns);
      if (first != starts.end()) times_[i].preparing_ns = saturated_difference(*first, *from_ns);
    }
  }

  const trace::Trace& trace_;
  const std::vector<HostStep>& steps_;
  std::uint16_t device_;
  std::vector<std::int64_t> begins_;
  std::vector<StepTime> times_;
  std::vector<Span> spans_;  // Of collectives.
};

}  // namespace

std::vector<StepTime> mindspore_step_times(const trace::Trace& trace) {
  const std::set<std::uint16_t> devices(trace.overlap_intervals().device.begin(),
                                        trace.overlap_intervals().device.end());
  const std::vector<HostStep> steps = host_steps(trace);
  std::vector<StepTime> times;
  for (const std::uint16_t device : devices) {
    const std::vector<StepTime> rows = StepRows(trace, steps, device).make();
    times.insert(times.end(), rows.begin(), rows.end());
  }
  return times;
}

bool shows_mindspore_steps(const trace::Trace& trace) {
  if (trace.steps().size() == 0) return false;
  const auto info = format::mindspore::parse_profiler_info(trace.session.profiler_info);
  if (!info.ok()) return true;
  return info->parameters.is_set_schedule && info->jit_level.value_or("") != "O2";
}

}  // namespace npuprof::analyze
