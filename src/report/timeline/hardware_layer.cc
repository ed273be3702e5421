#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "format/host/enumerations.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/perfetto/perfetto_timeline.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/nesting.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// What is shown of one device: tasks, then marks whose text the host recorded.
struct HardwareRows {
  std::vector<std::uint32_t> tasks;
  std::vector<std::uint32_t> marks;
  // Contexts of one task run side by side, and marks may begin inside a task.
  std::vector<std::uint32_t> track;
  // Whether an arrow from the launching call ends here: at the first task it led to, as a
  // collective has hundreds.
  std::vector<std::uint8_t> has_arrow;

  std::size_t size() const { return tasks.size() + marks.size(); }
};

void find_rows(const TimelineContext& context, std::uint16_t device, HardwareRows& rows) {
  const Trace& trace = context.trace;
  LaneSlices slices;
  for (const std::uint32_t task : context.shown_tasks) {
    if (trace.tasks.device[task] != device) continue;
    rows.tasks.push_back(task);
    slices.add(trace.tasks.stream[task], trace.tasks.start_ns[task], trace.tasks.end_ns[task]);
  }
  const auto& marks = trace.device_marks;
  const bool shows_marks = context.options.shows(kDeviceMarks);
  for (std::uint32_t i = 0; shows_marks && i < marks.size(); ++i) {
    if (marks.device[i] != device || marks.mark[i] == kNone) continue;
    rows.marks.push_back(i);
    slices.add(marks.stream[i], marks.start_ns[i], marks.end_ns[i]);
  }
  rows.track = overlap_tracks(slices);
}

void find_arrows(const TimelineContext& context, HardwareRows& rows) {
  rows.has_arrow.resize(rows.tasks.size());
  if (!context.options.shows_calls()) return;
  std::vector<std::uint8_t> reached(context.trace.api_calls.size());
  for (std::size_t i = 0; i < rows.tasks.size(); ++i) {
    const std::uint32_t api = context.trace.tasks.api[rows.tasks[i]];
    if (api == kNone || reached[api] != 0) continue;
    rows.has_arrow[i] = 1;
    reached[api] = 1;
  }
}

std::uint16_t stream_of(const Trace& trace, const HardwareRows& rows, std::size_t i) {
  return i < rows.tasks.size() ? trace.tasks.stream[rows.tasks[i]]
                               : trace.device_marks.stream[rows.marks[i - rows.tasks.size()]];
}

SlicePlace place_of(const Trace& trace, const HardwareRows& rows, std::uint64_t pid,
                    std::size_t i) {
  const std::uint64_t tid = overlap_tid(stream_of(trace, rows, i), rows.track[i]);
  if (i < rows.tasks.size()) {
    const std::uint32_t task = rows.tasks[i];
    return {pid, tid, trace.tasks.start_ns[task], trace.tasks.end_ns[task]};
  }
  const std::uint32_t mark = rows.marks[i - rows.tasks.size()];
  return {pid, tid, trace.device_marks.start_ns[mark], trace.device_marks.end_ns[mark]};
}

void describe_copy(auto& event, const trace::Tasks& tasks, std::uint32_t task) {
  if (tasks.copy_direction[task] == kNone) return;
  const auto duration_ns = static_cast<double>(tasks.end_ns[task] - tasks.start_ns[task]);
  const auto bytes = static_cast<double>(tasks.copy_bytes[task]);
  event.argument("size(B)", tasks.copy_bytes[task]);
  event.argument("bandwidth(GB/s)", duration_ns > 0 ? bytes / duration_ns : 0.0);
  event.argument("operation", format::host::memcpy_direction_name(
                                  static_cast<std::uint16_t>(tasks.copy_direction[task])));
}

void describe_task(auto& event, const TimelineContext& context, std::uint32_t task,
                   bool has_arrow) {
  const auto& tasks = context.trace.tasks;
  const auto& kernels = context.trace.kernels;
  const std::uint32_t kernel = tasks.kernel[task];
  const std::string_view type =
      context.view(kernel == kNone ? tasks.shown_type[task] : kernels.task_type[kernel]);
  event.name(kernel == kNone ? type : context.view(kernels.name[kernel]));
  event.argument("Model Id", tasks.model_id[task]).argument("Task Type", type);
  event.argument("Physic Stream Id", tasks.stream[task]).argument("Task Id", tasks.task[task]);
  event.argument("Batch Id", tasks.batch[task]).argument("Subtask Id", tasks.context[task]);
  event.argument("connection_id", connection_id(tasks.api[task]));
  describe_copy(event, tasks, task);
  if (has_arrow) event.arrow_in(ArrowKind::kLaunch, task_arrow_id(tasks.api[task]));
  context.task_arrows.put(event, task);
}

void describe_mark(auto& event, const TimelineContext& context, std::uint32_t i) {
  const auto& marks = context.trace.device_marks;
  event.name(context.view(context.trace.marks.message[marks.mark[i]]));
  event.argument("Physic Stream Id", marks.stream[i]).argument("Task Id", marks.task[i]);
  if (context.options.shows(kHostMarks)) {
    event.arrow_in(ArrowKind::kMark, mark_arrow_id(marks.mark_id[i]));
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
  std::map<std::uint16_t, std::uint32_t> last_track;  // By stream.
  for (std::size_t i = 0; i < rows->size(); ++i) {
    std::uint32_t& last = last_track[stream_of(context.trace, *rows, i)];
    last = std::max(last, rows->track[i]);
  }
  for (const auto& [stream, last] : last_track) {
    declare_lane(sink, pid, stream, "Stream " + std::to_string(stream), last);
  }
  sink.slices(
      rows->size(),
      [&context, rows, pid](std::size_t i) { return place_of(context.trace, *rows, pid, i); },
      [&context, rows](auto& event, std::size_t i) {
        if (i < rows->tasks.size()) {
          describe_task(event, context, rows->tasks[i], rows->has_arrow[i] != 0);
        } else {
          describe_mark(event, context, rows->marks[i - rows->tasks.size()]);
        }
      });
}

template void write_hardware_layer(const TimelineContext&, std::uint16_t, JsonTimeline&);
template void write_hardware_layer(const TimelineContext&, std::uint16_t, PerfettoTimeline&);

}  // namespace npuprof::report
