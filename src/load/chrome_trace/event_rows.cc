#include "load/chrome_trace/event_rows.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "format/host/msproftx.h"
#include "format/results/overlap_names.h"
#include "load/collection_clock.h"
#include "load/mindspore/range_details.h"
#include "load/number_of_name.h"
#include "load/plausible.h"
#include "load/shown_text.h"
#include "trace/device/frequencies.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/host/os_calls.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using trace::kNone;

// "level" of a host call, or the word before the '@' in older releases.
std::uint16_t api_level_of(std::string_view level, std::string_view prefix) {
  if (level == "hccl" || prefix == "Hccl") return format::host::kLevelHccl;
  if (const auto known = format::host::level_from_name(level)) return *known;
  if (prefix == "AscendCL") return format::host::kLevelAcl;
  if (prefix == "Model" || prefix == "GE") return format::host::kLevelModel;
  if (prefix == "Node") return format::host::kLevelNode;
  if (prefix == "Communication") return format::host::kLevelHccl;
  return format::host::kLevelRuntime;
}

// `[[2,3],[],[4]]` as `2,3;;4`, `["float",""]` as `float;`.
std::string joined_list(std::string_view json) {
  std::string text;
  int depth = 0;
  for (const char c : json) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == '[' || c == ']' || c == '"' || c == ' ' || c == '\n' || c == '\r') continue;
    text += c == ',' && depth <= 1 ? ';' : c;
  }
  return text;
}

std::string input_text(const EventValue& value) {
  return value.kind == EventValue::Kind::kNested ? joined_list(value.text)
                                                 : without_line_breaks(value.text);
}

std::uint32_t copy_direction(std::string_view name) {
  constexpr auto kLast = static_cast<std::uint32_t>(format::host::MemcpyDirection::kDeviceToHostEx);
  const std::uint32_t number =
      number_of_name(name, format::host::memcpy_direction_name, format::host::kMemcpyOther);
  return number <= kLast ? number : format::host::kMemcpyOther;
}

// Calls and queues are joined by the numbers in their arguments; waits are computed.
bool is_arrow_needed(std::string_view category) {
  constexpr std::string_view kNotNeeded[] = {category::kLaunch, category::kQueueArrow,
                                             category::kDataWait, "ac2g", "async"};
  return std::find(std::begin(kNotNeeded), std::end(kNotNeeded), category) == std::end(kNotNeeded);
}

std::uint32_t mark_type(std::string_view name) {
  using format::host::Msproftx;
  for (std::uint32_t type = 0; type <= Msproftx::kMarkEx; ++type) {
    if (name == Msproftx::event_type_name(type)) return type;
  }
  return Msproftx::kMark;
}

}  // namespace

void EventRows::add(const Event& event) {
  if (event.phase == 'M') return;
  add_known(event);
  rows_.odd_values += event.odd_values;
}

void EventRows::add_known(const Event& event) {
  const auto time = event_time_ns(event.time);
  const auto start = time ? plausible(base_.wall_ns(*time)) : std::nullopt;
  const auto end =
      start ? plausible(*start + event_time_ns(event.duration).value_or(0)) : std::nullopt;
  if (!end) {
    ++rows_.unusable_events;
    return;
  }
  if (base_.middle_ns && !(is_near(*start, *base_.middle_ns) && is_near(*end, *base_.middle_ns))) {
    ++rows_.far_events;
    return;
  }
  const EventPlace place{.pid = lane_number(event.process),
                         .tid = lane_number(event.thread),
                         .start_ns = *start,
                         .end_ns = *end};
  count_odd_values(event);
  switch (event.phase) {
    case 'X':
      return add_slice(event, place);
    case 's':
    case 'f':
      return add_arrow(event, place, event.phase == 'f');
    case 'C':
      return add_counter(event, place);
    case 't':  // Between the ends of an arrow.
      if (is_arrow_needed(event.category)) pass_over("phase t");
      return;
    default: {
      const char phase[] = {'p', 'h', 'a', 's', 'e', ' ', event.phase};
      return pass_over(std::string_view(phase, std::size(phase)));
    }
  }
}

// Without these values a slice or an end of an arrow is not where or not what it was.
void EventRows::count_odd_values(const Event& event) {
  const bool is_slice = event.phase == 'X';
  const bool is_arrow = event.phase == 's' || event.phase == 'f';
  if (!is_slice && !is_arrow) return;
  rows_.odd_values += !is_id(event.process);
  rows_.odd_values += !is_id(event.thread);
  rows_.odd_values += is_slice && !event_time_ns(event.duration);
  rows_.odd_values += is_slice && event.name.data() == nullptr;  // No name; an empty one is one.
  rows_.odd_values += is_arrow && !is_id(event.id);
}

void EventRows::pass_over(std::string_view what) {
  auto known = rows_.passed_over.find(what);
  if (known == rows_.passed_over.end()) known = rows_.passed_over.emplace(what, 0).first;
  ++known->second;
}

void EventRows::pass_over(const Event& event, const Process& process) {
  if (process.kind == LaneKind::kOther && !event.category.empty()) return pass_over(event.category);
  pass_over(process.name.empty() ? "layers without a name" : std::string_view(process.name));
}

void EventRows::add_slice(const Event& event, const EventPlace& place) {
  const std::string_view category = event.category;
  // PyTorch's own profiler began with "Operator".
  if (category == category::kOperator || category == "user_annotation" || category == "Operator") {
    return add_operator(event, place);
  }
  if (category == category::kEnqueue) return add_queue(event, place, rows_.tables.enqueues());
  if (category == category::kDequeue) return add_queue(event, place, rows_.tables.dequeues());
  if (category == category::kPythonCall) return add_python_call(event, place);
  if (category == category::kGarbageCollection) {
    rows_.tables.garbage_collections().start_ns.push_back(place.start_ns);
    rows_.tables.garbage_collections().end_ns.push_back(place.end_ns);
    rows_.tables.garbage_collections().pid.push_back(static_cast<std::uint32_t>(place.tid));
    return;
  }
  const Process& process = lanes_.process(place.pid);
  switch (process.kind) {
    case LaneKind::kFramework:
      return add_operator(event, place);
    case LaneKind::kCpuOps:
      rows_.tables.cpu_ops().start_ns.push_back(place.start_ns);
      rows_.tables.cpu_ops().end_ns.push_back(place.end_ns);
      rows_.tables.cpu_ops().tid.push_back(static_cast<std::uint32_t>(place.tid));
      rows_.tables.cpu_ops().name.push_back(intern(event.name));
      return;
    case LaneKind::kScopes:
      return;
    case LaneKind::kCann:
      return add_host_call(event, place);
    case LaneKind::kHardware:
    case LaneKind::kStepTrace:
      if (add_iteration(event, place, process.device)) return;
      if (process.kind == LaneKind::kStepTrace) break;
      return add_task(event, place, process.device);
    case LaneKind::kDisplay:
      return add_display_task(event, place, process);
    case LaneKind::kCommunication:
      return add_communication(event, place, process.device);
    case LaneKind::kOverlap:
      return add_overlap(event, place, process.device);
    case LaneKind::kOsRuntime:
      rows_.tables.os_calls().start_ns.push_back(place.start_ns);
      rows_.tables.os_calls().end_ns.push_back(place.end_ns);
      rows_.tables.os_calls().pid.push_back(0);
      rows_.tables.os_calls().tid.push_back(static_cast<std::uint32_t>(place.tid));
      rows_.tables.os_calls().name.push_back(intern(event.name));
      return;
    default:
      break;
  }
  if (add_foreign_slice(event, place, rows_)) return;
  if (process.labels == layer::kHostLabel && event.argument(argument::kEventType).is_present()) {
    return add_mark(event, place);
  }
  pass_over(event, process);
}

void EventRows::add_operator(const Event& event, const EventPlace& place) {
  trace::FrameworkOps& ops = rows_.tables.framework_ops();
  const EventValue dims = event.argument(argument::kInputShapes);
  const EventValue types = event.argument(argument::kInputTypes);
  ops.start_ns.push_back(place.start_ns);
  ops.end_ns.push_back(place.end_ns);
  ops.sequence.push_back(event.integer(argument::kSequence).value_or(-1));
  ops.pid.push_back(static_cast<std::uint32_t>(place.pid));
  ops.tid.push_back(static_cast<std::uint32_t>(place.tid));
  ops.forward_thread.push_back(event.number(argument::kForwardThread, 0));
  ops.scope.push_back(0);
  ops.is_async.push_back(0);
  ops.name.push_back(intern(event.name));
  ops.input_dtypes.push_back(intern(input_text(types)));
  ops.input_shapes.push_back(intern(input_text(dims)));
  ops.stack.push_back(intern(without_line_breaks(event.text(argument::kStack))));
  ops.module_hierarchy.push_back(intern(event.text(argument::kModuleHierarchy)));
  for (auto* column :
       {&ops.extra_args, &ops.input_tensors, &ops.input_tensor_lists, &ops.input_scalars}) {
    column->push_back(kEmptyString);
  }
  ops.has_inputs.push_back(dims.is_present() || types.is_present() ? 1 : 0);
  ops.parent.push_back(kNone);
  if (is_mindspore_) append_range_details(event.text(argument::kCustomInfo), rows_.tables);
}

// `ranges`: enqueues or dequeues.
void EventRows::add_queue(const Event& event, const EventPlace& place, auto& ranges) {
  const std::size_t at = event.name.find('@');
  ranges.start_ns.push_back(place.start_ns);
  ranges.end_ns.push_back(place.end_ns);
  ranges.correlation.push_back(
      static_cast<std::uint64_t>(event.integer(argument::kCorrelation).value_or(-1)));
  ranges.tid.push_back(static_cast<std::uint32_t>(place.tid));
  ranges.pid.push_back(static_cast<std::uint32_t>(place.pid));
  ranges.name.push_back(
      intern(at == std::string_view::npos ? event.name : event.name.substr(at + 1)));
  ranges.partner.push_back(kNone);
  ranges.op.push_back(kNone);
}

void EventRows::add_python_call(const Event& event, const EventPlace& place) {
  trace::PythonCalls& calls = rows_.tables.python_calls();
  calls.start_ns.push_back(place.start_ns);
  calls.end_ns.push_back(place.end_ns);
  calls.tid.push_back(static_cast<std::uint32_t>(place.tid));
  calls.pid.push_back(static_cast<std::uint32_t>(place.pid));
  calls.name.push_back(intern(event.name));
  calls.id.push_back(event.number(argument::kPythonId, kNone));
  calls.parent_id.push_back(event.number(argument::kPythonParent, 0));
  calls.module_id.push_back(event.number(argument::kPythonModule, kNone));
  calls.key.push_back(0);
}

void EventRows::add_host_call(const Event& event, const EventPlace& place) {
  trace::ApiCalls& calls = rows_.tables.api_calls();
  const std::size_t at = event.name.find('@');
  const bool has_layer = at != std::string_view::npos;
  const std::string_view name = has_layer ? event.name.substr(at + 1) : event.name;
  const std::uint16_t level =
      api_level_of(event.text(argument::kLevel), has_layer ? event.name.substr(0, at) : "");
  const bool by_item = level == format::host::kLevelHccl;
  const std::string_view item = by_item ? name : event.text(argument::kItem);
  calls.start_ns.push_back(place.start_ns);
  calls.end_ns.push_back(place.end_ns);
  calls.level.push_back(level);
  calls.type.push_back(0);
  calls.tid.push_back(event.number(argument::kThread, static_cast<std::uint32_t>(place.tid)));
  calls.request_id.push_back(kNone);
  calls.item.push_back(0);
  calls.name.push_back(intern(by_item ? event.text(argument::kMode) : name));
  calls.item_name.push_back(item == "0" ? kEmptyString : intern(item));
  rows_.call_ids.connection.push_back(connection_of(event));
}

std::int64_t connection_of(const Event& event) {
  const std::int64_t connection = event.integer(argument::kConnection).value_or(kNoConnection);
  return connection == kNone ? kNoConnection : connection;
}

void append_task(trace::Tasks& tasks, const EventPlace& place, std::uint16_t device,
                 std::uint32_t stream) {
  const std::size_t row = tasks.size();
  resize_rows(tasks, row + 1);
  tasks.start_ns[row] = place.start_ns;
  tasks.end_ns[row] = place.end_ns;
  tasks.device[row] = device;
  tasks.stream[row] = static_cast<std::uint16_t>(stream);
  tasks.context[row] = kNone;
  tasks.host_type[row] = trace::kNoHostType;
  tasks.launch[row] = kNone;
  tasks.api[row] = kNone;
  tasks.model_id[row] = kNone;
  tasks.request_id[row] = kNone;
  tasks.kernel[row] = kNone;
  tasks.copy_direction[row] = kNone;
}

void EventRows::add_task(const Event& event, const EventPlace& place, std::uint16_t device) {
  if (!event.category.empty()) return pass_over(event.category);
  // Marks are beside the tasks of their stream, and have no type.
  if (event.argument(argument::kStream).is_present() &&
      !event.argument(argument::kTaskType).is_present()) {
    return add_device_mark(event, place, device);
  }
  const std::uint32_t older_key = event.number("Stream Id", static_cast<std::uint32_t>(place.tid));
  trace::Tasks& tasks = rows_.tables.tasks();
  append_task(tasks, place, device, event.number(argument::kStream, older_key));
  tasks.task.back() = event.number(argument::kTask, 0);
  tasks.batch.back() = static_cast<std::uint16_t>(event.integer(argument::kBatch).value_or(0));
  tasks.context.back() = event.number(argument::kContext, kNone);
  tasks.model_id.back() = event.number(argument::kModel, kNone);
  if (event.argument(argument::kTaskType).kind == EventValue::Kind::kNumber) ++rows_.odd_values;
  tasks.shown_type.back() = intern(event.text(argument::kTaskType));
  auto bytes = event.integer(argument::kCopiedBytes);
  if (!bytes) bytes = event.integer("data size(Byte)");
  if (bytes) {
    EventValue direction = event.argument(argument::kCopyDirection);
    if (!direction.is_present()) direction = event.argument("memcpy direction");
    tasks.copy_bytes.back() = static_cast<std::uint64_t>(*bytes);
    tasks.copy_direction.back() = copy_direction(direction.text);
  }
  TaskIds& ids = rows_.task_ids;
  ids.connection.push_back(connection_of(event));
  ids.name.push_back(intern(event.name));
  ids.op_type.push_back(kEmptyString);
  ids.blocks.push_back(0);
  ids.is_foreign.push_back(0);
  ids.tensors.push_back(kEmptyString);
}

void EventRows::add_overlap(const Event& event, const EventPlace& place, std::uint16_t device) {
  using format::results::kOverlapNames;
  using trace::OverlapKind;
  // Display timelines have a thread for each kind.
  constexpr std::pair<std::uint64_t, OverlapKind> kDisplayed[] = {
      {7999, OverlapKind::kComputing},
      {8000, OverlapKind::kNotOverlapped},
      {8001, OverlapKind::kCommunication},
      {8002, OverlapKind::kFree}};
  std::optional<OverlapKind> shown;
  for (std::size_t kind = 0; kind < kOverlapNames.size(); ++kind) {
    if (event.name == kOverlapNames[kind].shown) shown = static_cast<OverlapKind>(kind);
  }
  for (const auto& [tid, kind] : kDisplayed) {
    if (lanes_.is_display() && tid == place.tid) shown = kind;
  }
  if (!shown) return pass_over(layer::kOverlap);
  trace::OverlapIntervals& intervals = rows_.tables.overlap_intervals();
  intervals.start_ns.push_back(place.start_ns);
  intervals.end_ns.push_back(place.end_ns);
  intervals.device.push_back(device);
  intervals.kind.push_back(static_cast<std::uint8_t>(*shown));
}

void EventRows::add_mark(const Event& event, const EventPlace& place) {
  trace::Marks& marks = rows_.tables.marks();
  const bool is_mstx = !event.argument(argument::kPayloadType).is_present();
  marks.start_ns.push_back(place.start_ns);
  marks.end_ns.push_back(place.end_ns);
  marks.pid.push_back(lanes_.process(place.pid).os_pid);
  marks.tid.push_back(thread_of_mark(place.tid));
  marks.is_mstx.push_back(is_mstx ? 1 : 0);
  marks.category.push_back(event.number(argument::kCategory, 0));
  marks.event_type.push_back(mark_type(event.text(argument::kEventType)));
  marks.payload_type.push_back(
      static_cast<std::int32_t>(event.integer(argument::kPayloadType).value_or(0)));
  marks.payload.push_back(
      static_cast<std::uint64_t>(event.integer(argument::kPayload).value_or(0)));
  marks.mark_id.push_back(
      static_cast<std::uint64_t>(event.integer(argument::kMark).value_or(kNone)));
  marks.domain.push_back(intern(event.text(argument::kDomain)));
  marks.message_type.push_back(
      static_cast<std::int32_t>(event.integer(argument::kMessageType).value_or(0)));
  marks.message.push_back(intern(event.name));
}

void EventRows::add_device_mark(const Event& event, const EventPlace& place, std::uint16_t device) {
  trace::DeviceMarks& marks = rows_.tables.device_marks();
  marks.start_ns.push_back(place.start_ns);
  marks.end_ns.push_back(place.end_ns);
  marks.device.push_back(device);
  marks.stream.push_back(static_cast<std::uint16_t>(event.number(argument::kStream, 0)));
  marks.task.push_back(event.number(argument::kTask, 0));
  marks.mark.push_back(kNone);
  marks.mark_id.push_back(kNone);
  marks.model_id.push_back(kNone);
  rows_.device_mark_ids.name.push_back(intern(event.name));
}

void EventRows::add_arrow(const Event& event, const EventPlace& place, bool is_end) {
  std::optional<ArrowMeaning> kind;
  if (event.category == category::kOperatorArrow) kind = ArrowMeaning::kOperatorToTask;
  if (event.category == category::kBackwardArrow) kind = ArrowMeaning::kForwardToBackward;
  if (event.category == category::kMindSporeFlow) kind = ArrowMeaning::kFlow;
  // Arrows from MindSpore's record of a mark to the mark follow from their times.
  if (event.name == category::kMindSporeMarkName) return;
  const bool is_of_mark = event.category == category::kMarkArrow;
  if (!kind && !is_of_mark) {
    if (event.category == category::kLaunch && !is_end) return add_launch_point(event, place);
    if (!is_arrow_needed(event.category)) return;
    return pass_over(event.category.empty() ? "arrows without a category" : event.category);
  }
  Arrows& arrows = is_of_mark ? rows_.mark_arrows : rows_.arrows;
  arrows.kind.push_back(static_cast<std::uint8_t>(kind.value_or(ArrowMeaning::kOperatorToTask)));
  arrows.is_end.push_back(is_end ? 1 : 0);
  arrows.id.push_back(lane_number(event.id));
  arrows.time_ns.push_back(place.start_ns);
  arrows.pid.push_back(place.pid);
  arrows.tid.push_back(place.tid);
}

void EventRows::add_launch_point(const Event& event, const EventPlace& place) {
  const auto id = parse_number<std::uint64_t>(event.id.text);
  if (!id) return;  // Of more than 64 bits, for a connection of more than 32.
  rows_.launch_points.connection.push_back(static_cast<std::int64_t>(*id >> 32));
  rows_.launch_points.time_ns.push_back(place.start_ns);
  rows_.launch_points.tid.push_back(static_cast<std::uint32_t>(place.tid));
}

void EventRows::add_counter(const Event& event, const EventPlace& place) {
  const Process& process = lanes_.process(place.pid);
  if (process.kind == LaneKind::kFrequency) {
    if (!event.integer("MHz") || !event.name.starts_with(layer::kFrequency)) {
      return pass_over(event, process);
    }
    const std::string_view die = event.name.substr(event.name.rfind(' ') + 1);
    rows_.tables.frequencies().time_ns.push_back(place.start_ns);
    rows_.tables.frequencies().device.push_back(process.device);
    rows_.tables.frequencies().kind.push_back(0);
    rows_.tables.frequencies().value.push_back(event.number("MHz", 0));
    rows_.tables.frequencies().die.push_back(parse_number<std::uint8_t>(die).value_or(0));
    return;
  }
  if (process.kind != LaneKind::kMemory) return pass_over(event, process);
  const bool is_hbm = event.name.ends_with("/HBM");
  if (!is_hbm && !event.name.ends_with("/DDR")) return;  // The sum of the two.
  rows_.memory.time_ns.push_back(place.start_ns);
  rows_.memory.device.push_back(process.device);
  rows_.memory.event.push_back(event.name.starts_with("Device") ? 1 : 0);
  rows_.memory.is_hbm.push_back(is_hbm ? 1 : 0);
  rows_.memory.bytes.push_back(
      static_cast<std::uint64_t>(std::max(event.real("KB"), 0.0) * kKilobyte));
}

}  // namespace npuprof::load
