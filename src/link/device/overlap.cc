#include "link/device/overlap.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/interval_sweep.h"
#include "format/host/levels.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/host/communicator_streams.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using format::host::TaskType;

struct DeviceTimes {
  std::vector<Interval> computing;
  std::vector<Interval> communication;
  std::int64_t begin_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;

  void extend(std::int64_t begin, std::int64_t end) {
    begin_ns = std::min(begin_ns, begin);
    end_ns = std::max(end_ns, end);
  }
};

// Tasks that run kernels extend the span by what counts as computing only; switching the profiler
// on and off is no work of the program.
bool extends_span(std::uint16_t host_type) {
  switch (host_type) {
    case static_cast<std::uint16_t>(TaskType::kKernelAicore):
    case static_cast<std::uint16_t>(TaskType::kKernelAivec):
    case static_cast<std::uint16_t>(TaskType::kFftsPlus):
    case static_cast<std::uint16_t>(TaskType::kKernelMixAic):
    case static_cast<std::uint16_t>(TaskType::kKernelMixAiv):
    case static_cast<std::uint16_t>(TaskType::kProfilingEnable):
    case static_cast<std::uint16_t>(TaskType::kProfilingDisable):
      return false;
    default:
      return true;
  }
}

// Which kernels compute.
class ComputeFilter {
 public:
  explicit ComputeFilter(const trace::Trace& trace) : trace_(trace) {
    for (const std::uint32_t stream : trace.communicator_streams().kernel_stream) {
      driver_streams_.insert(stream);
    }
  }

  bool computes(std::uint32_t kernel) {
    const auto kind = static_cast<trace::KernelKind>(trace_.kernels().kind[kernel]);
    if (kind != trace::KernelKind::kCompute) return false;
    if (!driver_streams_.empty() &&
        driver_streams_.contains(trace_.tasks().stream[trace_.kernels().task[kernel]])) {
      return false;
    }
    return !names_communication(trace_.kernels().name[kernel]);
  }

 private:
  bool names_communication(StringId name) {
    const std::size_t index = to_index(name);
    if (by_name_.size() <= index) by_name_.resize(trace_.strings.size(), kUnchecked);
    if (by_name_[index] == kUnchecked) {
      const std::string_view text = trace_.strings.view(name);
      by_name_[index] = text.ends_with("AicpuKernel") || text.ends_with("AivKernel") ? 1 : 0;
    }
    return by_name_[index] == 1;
  }

  static constexpr std::uint8_t kUnchecked = 2;

  const trace::Trace& trace_;
  std::set<std::uint32_t> driver_streams_;
  std::vector<std::uint8_t> by_name_;  // By string id: names repeat, texts are looked at once.
};

void append_interval(std::uint16_t device, trace::OverlapKind kind,
                     std::span<const Interval> intervals, trace::OverlapIntervals& out) {
  for (const Interval& interval : intervals) {
    out.start_ns.push_back(interval.begin);
    out.end_ns.push_back(interval.end);
    out.device.push_back(device);
    out.kind.push_back(static_cast<std::uint8_t>(kind));
  }
}

void append_device(std::uint16_t device, DeviceTimes times, trace::OverlapIntervals& out) {
  const std::vector<Interval> computing = merge_intervals(std::move(times.computing));
  const std::vector<Interval> communication = merge_intervals(std::move(times.communication));
  for (const auto* list : {&computing, &communication}) {
    if (!list->empty()) times.extend(list->front().begin, list->back().end);
  }
  append_interval(device, trace::OverlapKind::kComputing, computing, out);
  append_interval(device, trace::OverlapKind::kCommunication, communication, out);
  append_interval(device, trace::OverlapKind::kNotOverlapped, difference(communication, computing),
                  out);
  if (times.end_ns <= times.begin_ns) return;
  std::vector<Interval> busy = computing;
  busy.insert(busy.end(), communication.begin(), communication.end());
  const Interval span{times.begin_ns, times.end_ns};
  append_interval(device, trace::OverlapKind::kFree,
                  difference(std::span(&span, 1), merge_intervals(std::move(busy))), out);
}

}  // namespace

void link_overlap(trace::Trace& trace) {
  trace::clear_rows(trace.overlap_intervals());
  std::map<std::uint16_t, DeviceTimes> devices;
  const trace::Tasks& tasks = trace.tasks();
  ComputeFilter filter(trace);
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    DeviceTimes& times = devices[tasks.device[row]];
    if (extends_span(tasks.host_type[row])) times.extend(tasks.start_ns[row], tasks.end_ns[row]);
    if (tasks.kernel[row] != trace::kNone && filter.computes(tasks.kernel[row])) {
      times.computing.push_back({tasks.start_ns[row], tasks.end_ns[row]});
    }
  }
  const auto add_communication = [&](const auto& table) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      devices[table.device[row]].communication.push_back({table.start_ns[row], table.end_ns[row]});
    }
  };
  add_communication(trace.collective_ops());
  add_communication(trace.kernel_communication_turns());
  for (auto& [device, times] : devices) {
    append_device(device, std::move(times), trace.overlap_intervals());
  }
}

}  // namespace npuprof::link
