#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "format/host/msproftx.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using trace::kNone;

std::string_view name_prefix(std::uint16_t level) {
  switch (level) {
    case format::host::kLevelAcl:
      return "AscendCL@";
    case format::host::kLevelModel:
      return "Model@";
    case format::host::kLevelNode:
      return "Node@";
    case format::host::kLevelHccl:
      return "Communication@";
    case format::host::kLevelRuntime:
      return "Runtime@";
    default:
      return "";
  }
}

// Which arrows start at a call: to a task that is shown, to a collective.
enum ArrowStart : std::uint8_t { kToTask = 1, kToCollective = 2 };

std::vector<std::uint8_t> arrow_starts(const TimelineContext& context) {
  const trace::Trace& trace = context.trace;
  std::vector<std::uint8_t> starts(trace.api_calls().size());
  const auto mark = [&](const auto& work, std::uint32_t row, ArrowStart start) {
    if (context.has_launch_arrow(work, row)) starts[work.api[row]] |= start;
  };
  if (context.options.shows(kHardwareLayer.name)) {
    for (const std::uint32_t task : context.shown_tasks) mark(trace.tasks(), task, kToTask);
  }
  if (context.options.shows(kCommunicationLayer.name)) {
    const trace::CollectiveOps& ops = trace.collective_ops();
    for (std::uint32_t op = 0; op < ops.size(); ++op) mark(ops, op, kToCollective);
  }
  return starts;
}

void describe_call(auto& event, const TimelineContext& context, std::size_t call) {
  const auto& calls = context.trace.api_calls();
  const std::uint16_t level = calls.level[call];
  const bool is_hccl = level == format::host::kLevelHccl;
  const std::string_view name = context.view(is_hccl ? calls.item_name[call] : calls.name[call]);
  std::string_view mode = context.view(calls.name[call]);
  if (level == format::host::kLevelAcl) {
    const auto category =
        format::host::acl_category_name(format::host::acl_category(calls.type[call]));
    if (!category.empty()) mode = category;
  }
  event.name(name_prefix(level), name);
  event.argument(argument::kThread, calls.tid[call]).argument(argument::kMode, mode);
  event.argument(argument::kLevel, format::host::level_name(level))
      .argument("id", level == format::host::kLevelAcl ? name : "0");
  if (calls.item_name[call] == kEmptyString) {
    char digits[kMaxIntegerChars];
    const char* end = write_unsigned(digits, calls.item[call]);
    event.argument(argument::kItem,
                   std::string_view(digits, static_cast<std::size_t>(end - digits)));
  } else {
    event.argument(argument::kItem, context.view(calls.item_name[call]));
  }
  event.argument(argument::kConnection, connection_id(static_cast<std::uint32_t>(call)));
}

void describe_host_mark(auto& event, const TimelineContext& context, std::size_t i) {
  const auto& marks = context.trace.marks();
  event.name(context.view(marks.message[i]));
  if (marks.is_mstx[i] == 0) {
    event.argument(argument::kCategory, std::string_view(std::to_string(marks.category[i])));
    event.argument(argument::kPayloadType, marks.payload_type[i]);
    event.argument(argument::kPayload, marks.payload[i]);
    event.argument(argument::kMessageType, marks.message_type[i]);
  }
  event.argument(argument::kEventType,
                 format::host::Msproftx::event_type_name(marks.event_type[i]));
  if (marks.is_mstx[i] != 0) event.argument(argument::kDomain, context.view(marks.domain[i]));
}

template <typename Sink>
void declare_threads(Sink& sink, std::uint64_t pid, const std::vector<std::uint32_t>& tids) {
  for (const std::uint32_t tid : std::set<std::uint32_t>(tids.begin(), tids.end())) {
    sink.lane(pid, tid, "Thread " + std::to_string(tid), tid);
  }
}

}  // namespace

template <typename Sink>
void write_call_layer(const TimelineContext& context, Sink& sink) {
  const auto& calls = context.trace.api_calls();
  if (!context.options.shows_calls() || calls.size() == 0) return;
  const std::uint64_t pid = context.pid(kCannLayer, 0);
  sink.layer(kCannLayer, pid, 0);
  declare_threads(sink, pid, calls.tid);
  const auto starts = std::make_shared<const std::vector<std::uint8_t>>(arrow_starts(context));
  sink.slices(
      calls.size(),
      [&calls, pid](std::size_t i) {
        return SlicePlace{pid, calls.tid[i], calls.start_ns[i], calls.end_ns[i]};
      },
      [&context, starts](auto& event, std::size_t i) {
        describe_call(event, context, i);
        const auto api = static_cast<std::uint32_t>(i);
        if (((*starts)[i] & kToTask) != 0) event.arrow_out(ArrowKind::kLaunch, task_arrow_id(api));
        if (((*starts)[i] & kToCollective) != 0) {
          event.arrow_out(ArrowKind::kLaunch, collective_arrow_id(api));
        }
      });
}

template <typename Sink>
void write_mark_layer(const TimelineContext& context, Sink& sink) {
  const auto& marks = context.trace.marks();
  if (!context.options.shows(kHostMarks) || marks.size() == 0) return;
  const std::string_view program = context.trace.session.process_name;
  Layer layer = kMarkLayer;
  layer.name = program.empty() ? std::string_view("PID Name") : program;
  const std::uint64_t pid = context.pid(layer, 0);
  sink.layer(layer, pid, 0);
  const auto on_device = std::make_shared<std::vector<std::uint8_t>>(marks.size());
  const bool shows_device =
      context.options.shows(kDeviceMarks) && context.options.shows(kHardwareLayer.name);
  for (const std::uint32_t mark : context.trace.device_marks().mark) {
    if (shows_device && mark != kNone) (*on_device)[mark] = 1;
  }
  // Ranges are opened and closed by hand, in any order.
  LaneSlices slices;
  std::map<std::uint64_t, std::string> names;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    slices.add(marks.tid[i], marks.start_ns[i], marks.end_ns[i]);
    names.try_emplace(marks.tid[i], "Thread " + std::to_string(marks.tid[i]));
  }
  write_lanes(sink, pid, std::move(slices), names,
              [&context, &marks, on_device](auto& event, std::size_t i) {
                describe_host_mark(event, context, i);
                if ((*on_device)[i] != 0) {
                  event.arrow_out(ArrowKind::kMark, mark_arrow_id(marks.mark_id[i]));
                }
                context.mark_arrows.put(event, i);
              });
}

#define NPUPROF_INSTANTIATE(Sink)                                \
  template void write_call_layer(const TimelineContext&, Sink&); \
  template void write_mark_layer(const TimelineContext&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
