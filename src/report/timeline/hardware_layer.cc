#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyze/simt_shape.h"
#include "base/units.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// What is shown of one device: tasks, then marks, then turns of fused kernels.
struct HardwareRows {
  std::vector<std::uint32_t> tasks;
  std::vector<std::uint32_t> marks;
  std::vector<std::uint32_t> turns;
  std::vector<std::uint32_t> lane;  // Of each of them.
  // Contexts of one task run side by side, and marks may begin inside a task.
  std::vector<std::uint32_t> track;
  // Whether an arrow from the launching call ends here: at the first task it led to, as a
  // collective has hundreds.
  std::vector<std::uint8_t> has_arrow;

  std::size_t size() const { return tasks.size() + marks.size() + turns.size(); }
};

void find_rows(const TimelineContext& context, std::uint16_t device, HardwareRows& rows) {
  const Trace& trace = context.trace;
  LaneSlices slices;
  for (const std::uint32_t task : context.shown_tasks) {
    if (trace.tasks().device[task] != device) continue;
    rows.tasks.push_back(task);
    slices.add(context.lane_of_stream(trace.tasks().stream[task]), trace.tasks().start_ns[task],
               trace.tasks().end_ns[task]);
  }
  const auto& marks = trace.device_marks();
  const bool shows_marks = context.options.shows(kDeviceMarks);
  for (std::uint32_t i = 0; shows_marks && i < marks.size(); ++i) {
    if (marks.device[i] != device) continue;
    rows.marks.push_back(i);
    slices.add(context.lane_of_stream(marks.stream[i]), marks.start_ns[i], marks.end_ns[i]);
  }
  const auto& turns = trace.kernel_communication_turns();
  for (std::uint32_t i = 0; i < turns.size(); ++i) {
    if (turns.device[i] != device) continue;
    rows.turns.push_back(i);
    slices.add(context.lane_of_stream(turns.stream[i]), turns.start_ns[i], turns.end_ns[i]);
  }
  rows.track = overlap_tracks(slices);
  rows.lane.assign(slices.lane.begin(), slices.lane.end());
}

void find_arrows(const TimelineContext& context, HardwareRows& rows) {
  rows.has_arrow.resize(rows.tasks.size());
  if (!context.options.shows_calls()) return;
  std::vector<std::uint8_t> reached(context.trace.api_calls().size());
  for (std::size_t i = 0; i < rows.tasks.size(); ++i) {
    if (!context.has_launch_arrow(context.trace.tasks(), rows.tasks[i])) continue;
    const std::uint32_t api = context.trace.tasks().api[rows.tasks[i]];
    if (reached[api] != 0) continue;
    rows.has_arrow[i] = 1;
    reached[api] = 1;
  }
}

SlicePlace place_of(const Trace& trace, const HardwareRows& rows, std::uint64_t pid,
                    std::size_t i) {
  const std::uint64_t tid = overlap_tid(rows.lane[i], rows.track[i]);
  const auto place_in = [&](const auto& table, std::uint32_t row) {
    return SlicePlace{pid, tid, table.start_ns[row], table.end_ns[row]};
  };
  if (i < rows.tasks.size()) return place_in(trace.tasks(), rows.tasks[i]);
  i -= rows.tasks.size();
  if (i < rows.marks.size()) return place_in(trace.device_marks(), rows.marks[i]);
  return place_in(trace.kernel_communication_turns(), rows.turns[i - rows.marks.size()]);
}

std::string_view engine_of(const Trace& trace, std::uint32_t task) {
  for (const trace::DeviceInfo& device : trace.devices) {
    if (device.id != trace.tasks().device[task]) continue;
    return device_type_name(device, trace.tasks().device_type[task]);
  }
  return {};
}

// Copies are shown by the engine that made them, kernels by the core that ran them, or, if that is
// not known (level 0), by how they were launched.
std::string_view type_of(const TimelineContext& context, std::uint32_t task) {
  const auto& tasks = context.trace.tasks();
  const std::string_view launched_as = context.view(tasks.shown_type[task]);
  if (tasks.kernel[task] == kNone) {
    const bool is_copy =
        tasks.host_type[task] == static_cast<std::uint16_t>(format::host::TaskType::kMemcpyAsync);
    const std::string_view engine = is_copy ? engine_of(context.trace, task) : std::string_view();
    return engine.empty() ? launched_as : engine;
  }
  const std::string_view core = context.view(context.trace.kernels().task_type[tasks.kernel[task]]);
  return core.empty() ? launched_as : core;
}

void describe_copy(auto& event, const trace::Tasks& tasks, std::uint32_t task) {
  if (tasks.copy_direction[task] == kNone) return;
  const auto duration_ns = static_cast<double>(tasks.end_ns[task] - tasks.start_ns[task]);
  const auto bytes = static_cast<double>(tasks.copy_bytes[task]);
  event.argument(argument::kCopiedBytes, tasks.copy_bytes[task]);
  event.argument("bandwidth(GB/s)", duration_ns > 0 ? bytes / duration_ns : 0.0);
  event.argument(
      argument::kCopyDirection,
      format::host::memcpy_direction_name(static_cast<std::uint16_t>(tasks.copy_direction[task])));
}

void describe_task(auto& event, const TimelineContext& context, std::uint32_t task,
                   bool has_arrow) {
  const auto& tasks = context.trace.tasks();
  const auto& kernels = context.trace.kernels();
  const auto kernel = tasks.kernel[task];
  event.name(context.view(kernel == kNone ? tasks.shown_type[task] : kernels.name[kernel]));
  event.argument(argument::kModel, tasks.model_id[task]);
  event.argument(argument::kTaskType, type_of(context, task));
  event.argument(argument::kStream, tasks.stream[task]).argument(argument::kTask, tasks.task[task]);
  event.argument(argument::kBatch, tasks.batch[task])
      .argument(argument::kContext, tasks.context[task]);
  event.argument(argument::kConnection, connection_id(tasks.api[task]));
  describe_copy(event, tasks, task);
  const analyze::SimtShape shape = analyze::simt_shape(context.trace, task);
  if (shape.grid != kEmptyString) {
    event.argument("Grid Dim", context.view(shape.grid));
    event.argument("Block Dim", context.view(shape.block));
  }
  if (!context.mindspore_launches.empty() && context.mindspore_launches[task] != kNone) {
    const std::uint32_t launch = context.mindspore_launches[task];
    event.argument("mindspore_op", context.view(context.trace.framework_ops().name[launch]));
  }
  if (has_arrow) event.arrow_in(ArrowKind::kLaunch, task_arrow_id(tasks.api[task]));
  context.task_arrows.put(event, task);
}

void describe_mark(auto& event, const TimelineContext& context, std::uint32_t i) {
  const auto& marks = context.trace.device_marks();
  const bool has_text = marks.mark[i] != kNone;
  event.name(has_text ? context.view(context.trace.marks().message[marks.mark[i]]) : kNotAvailable);
  event.argument(argument::kStream, marks.stream[i]).argument(argument::kTask, marks.task[i]);
  if (has_text && context.options.shows(kHostMarks)) {
    event.arrow_in(ArrowKind::kMark, mark_arrow_id(marks.mark_id[i]));
  }
}

void describe_turn(auto& event, const TimelineContext& context, std::uint32_t i) {
  const auto& turns = context.trace.kernel_communication_turns();
  event.name(context.view(turns.phase[i]));
  event.argument(argument::kStream, turns.stream[i]).argument(argument::kTask, turns.task[i]);
}

void describe_slice(auto& event, const TimelineContext& context, const HardwareRows& rows,
                    std::size_t i) {
  if (i < rows.tasks.size()) {
    describe_task(event, context, rows.tasks[i], rows.has_arrow[i] != 0);
    return;
  }
  i -= rows.tasks.size();
  if (i < rows.marks.size()) {
    describe_mark(event, context, rows.marks[i]);
  } else {
    describe_turn(event, context, rows.turns[i - rows.marks.size()]);
  }
}

}  // namespace

template <typename Sink>
void write_hardware_layer(const TimelineContext& context, std::uint16_t device, Sink& sink) {
  if (!context.options.shows(kHardwareLayer.name)) return;
  const auto rows = std::make_shared<HardwareRows>();
  find_rows(context, device, *rows);
  if (rows->size() == 0) return;
  find_arrows(context, *rows);
  const std::uint64_t pid = context.pid(kHardwareLayer, device);
  sink.layer(kHardwareLayer, pid, device);
  std::map<std::uint32_t, std::uint32_t> last_track;  // By lane.
  for (std::size_t i = 0; i < rows->size(); ++i) {
    std::uint32_t& last = last_track[rows->lane[i]];
    last = std::max(last, rows->track[i]);
  }
  for (const auto& [stream, last] : last_track) {
    declare_lane(sink, pid, stream, "Stream " + std::to_string(stream), last);
  }
  sink.slices(
      rows->size(),
      [&context, rows, pid](std::size_t i) { return place_of(context.trace, *rows, pid, i); },
      [&context, rows](auto& event, std::size_t i) { describe_slice(event, context, *rows, i); });
}

#define NPUPROF_INSTANTIATE(Sink) \
  template void write_hardware_layer(const TimelineContext&, std::uint16_t, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
