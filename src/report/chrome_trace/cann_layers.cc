#include "report/chrome_trace/cann_layers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/shown_tasks.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// Connection ids are the row numbers of calls from 1 on.
std::uint64_t connection_id(std::uint32_t api) {
  return api == kNone ? std::uint64_t{kNone} : std::uint64_t{api} + 1;
}

// Arrows from a host call to what it launched share this name and id.
class LaunchArrow {
 public:
  explicit LaunchArrow(std::uint32_t api) {
    char* end = write_unsigned(text_, connection_id(api) << 32);
    id_ = {text_, static_cast<std::size_t>(end - text_)};
  }
  void put(TextBuffer& out, char phase, std::uint64_t pid, std::uint64_t tid,
           std::int64_t time_ns) const {
    char name[40] = "HostToDevice";
    id_.copy(name + 12, id_.size());
    EventText event(out);
    event.flow(phase, {name, 12 + id_.size()}, "HostToDevice", pid, tid, time_ns);
    out.text(",\"id\":\"").text(id_).character('"');
    event.end();
  }

 private:
  char text_[kMaxIntegerChars];
  std::string_view id_;
};

std::string_view layer_prefix(std::uint16_t level) {
  switch (level) {
    case format::host::kLevelAcl:
      return "AscendCL";
    case format::host::kLevelModel:
      return "Model";
    case format::host::kLevelNode:
      return "Node";
    case format::host::kLevelHccl:
      return "Communication";
    case format::host::kLevelRuntime:
      return "Runtime";
    default:
      return "";
  }
}

// What the timeline shows of a profile, computed once and shared by the layers.
class CannLayers {
 public:
  CannLayers(const Trace& trace, const CannLayerOptions& options, Timeline& timeline)
      : trace_(trace), options_(options), timeline_(timeline), pid_(trace.session.pid) {}

  void write() {
    for (const trace::DeviceInfo& device : trace_.devices) write_hardware(device.id);
    write_host_calls();
    for (const trace::DeviceInfo& device : trace_.devices) write_communication(device.id);
    for (const trace::DeviceInfo& device : trace_.devices) write_overlap(device.id);
    write_marks();
  }

 private:
  std::uint64_t pid(const Layer& layer, std::uint32_t device) const {
    return layer_pid(pid_, layer.sort_index, layer.is_host ? kHostDevice : device);
  }
  std::string_view view(StringId id) const { return trace_.strings.view(id); }

  void write_hardware(std::uint16_t device);
  void put_task(TextBuffer& out, std::uint32_t task, bool with_arrow, std::uint64_t pid) const;
  void write_host_calls();
  void put_call(TextBuffer& out, std::size_t call, std::uint64_t pid) const;
  std::vector<std::uint8_t> calls_with_arrow() const;
  void write_communication(std::uint16_t device);
  void put_collective_task(TextBuffer& out, std::size_t row, std::uint64_t pid,
                           std::uint64_t tid) const;
  void write_overlap(std::uint16_t device);
  void write_marks();

  const Trace& trace_;
  const CannLayerOptions& options_;
  Timeline& timeline_;
  std::uint32_t pid_;
};

void CannLayers::write_hardware(std::uint16_t device) {
  std::vector<std::uint32_t> shown = analyze::shown_tasks(trace_);
  std::erase_if(shown, [&](std::uint32_t task) { return trace_.tasks.device[task] != device; });
  if (shown.empty()) return;
  const std::uint64_t layer = pid(kHardwareLayer, device);
  timeline_.layer(kHardwareLayer, layer, device);
  std::set<std::uint16_t> streams;
  for (const std::uint32_t task : shown) streams.insert(trace_.tasks.stream[task]);
  for (const std::uint16_t stream : streams) {
    timeline_.lane(layer, stream, "Stream " + std::to_string(stream), stream);
  }
  // An arrow from a call goes to the first task it led to: a collective has hundreds.
  std::vector<std::uint8_t> with_arrow(shown.size());
  std::vector<std::uint8_t> reached(trace_.api_calls.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::uint32_t api = trace_.tasks.api[shown[i]];
    if (api == kNone || reached[api] != 0) continue;
    with_arrow[i] = 1;
    reached[api] = 1;
  }
  timeline_.events(shown.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) put_task(out, shown[i], with_arrow[i] != 0, layer);
  });
}

void CannLayers::put_task(TextBuffer& out, std::uint32_t task, bool with_arrow,
                          std::uint64_t layer) const {
  const auto& tasks = trace_.tasks;
  const std::uint32_t kernel = tasks.kernel[task];
  const std::string_view type =
      kernel == kNone ? view(tasks.shown_type[task]) : view(trace_.kernels.task_type[kernel]);
  EventText event(out);
  event.slice(kernel == kNone ? type : view(trace_.kernels.name[kernel]), layer, tasks.stream[task],
              tasks.start_ns[task], tasks.end_ns[task]);
  event.begin_args();
  event.argument("Model Id", tasks.model_id[task]).argument("Task Type", type);
  event.argument("Physic Stream Id", tasks.stream[task]).argument("Task Id", tasks.task[task]);
  event.argument("Batch Id", tasks.batch[task]).argument("Subtask Id", tasks.context[task]);
  event.argument("connection_id", connection_id(tasks.api[task]));
  if (tasks.copy_direction[task] != kNone) {
    const std::int64_t duration_ns = tasks.end_ns[task] - tasks.start_ns[task];
    event.argument("size(B)", tasks.copy_bytes[task]);
    event.argument("bandwidth(GB/s)", duration_ns > 0
                                          ? static_cast<double>(tasks.copy_bytes[task]) /
                                                static_cast<double>(duration_ns)
                                          : 0.0);
    event.argument("operation", format::host::memcpy_direction_name(
                                    static_cast<std::uint16_t>(tasks.copy_direction[task])));
  }
  event.end_args().end();
  if (with_arrow) {
    LaunchArrow(tasks.api[task]).put(out, 'f', layer, tasks.stream[task], tasks.start_ns[task]);
  }
}

// Calls from which an arrow starts: those that launched something that is shown.
std::vector<std::uint8_t> CannLayers::calls_with_arrow() const {
  std::vector<std::uint8_t> starts(trace_.api_calls.size());
  for (const std::uint32_t task : analyze::shown_tasks(trace_)) {
    if (trace_.tasks.api[task] != kNone) starts[trace_.tasks.api[task]] = 1;
  }
  for (const std::uint32_t api : trace_.collective_ops.api) {
    if (api != kNone) starts[api] = 1;
  }
  return starts;
}

void CannLayers::write_host_calls() {
  const auto& calls = trace_.api_calls;
  if (!options_.host_calls || calls.size() == 0) return;
  const std::uint64_t layer = pid(kCannLayer, 0);
  timeline_.layer(kCannLayer, layer, 0);
  const std::set<std::uint32_t> threads(calls.tid.begin(), calls.tid.end());
  for (const std::uint32_t tid : threads) {
    timeline_.lane(layer, tid, "Thread " + std::to_string(tid), tid);
  }
  const std::vector<std::uint8_t> starts = calls_with_arrow();
  timeline_.events(calls.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      put_call(out, i, layer);
      if (starts[i] == 0) continue;
      LaunchArrow(static_cast<std::uint32_t>(i))
          .put(out, 's', layer, calls.tid[i], calls.start_ns[i]);
    }
  });
}

void CannLayers::put_call(TextBuffer& out, std::size_t call, std::uint64_t layer) const {
  const auto& calls = trace_.api_calls;
  const std::uint16_t level = calls.level[call];
  const bool is_hccl = level == format::host::kLevelHccl;
  const std::string_view name = view(is_hccl ? calls.item_name[call] : calls.name[call]);
  std::string shown(layer_prefix(level));
  if (!shown.empty()) shown += '@';
  shown += name;
  std::string_view mode = view(calls.name[call]);
  if (level == format::host::kLevelAcl) {
    const auto category =
        format::host::acl_category_name(format::host::acl_category(calls.type[call]));
    if (!category.empty()) mode = category;
  }
  EventText event(out);
  event.slice(shown, layer, calls.tid[call], calls.start_ns[call], calls.end_ns[call]);
  event.begin_args().argument("Thread Id", calls.tid[call]).argument("Mode", mode);
  event.argument("level", format::host::level_name(level)).argument("id", name);
  if (to_index(calls.item_name[call]) == 0) {
    char digits[kMaxIntegerChars];
    const char* end = write_unsigned(digits, calls.item[call]);
    event.argument("item_id", std::string_view(digits, static_cast<std::size_t>(end - digits)));
  } else {
    event.argument("item_id", view(calls.item_name[call]));
  }
  event.argument("connection_id", connection_id(static_cast<std::uint32_t>(call)));
  event.end_args().end();
}

// Each group has a lane for its operators and one for each of its planes.
void CannLayers::write_communication(std::uint16_t device) {
  const auto& ops = trace_.collective_ops;
  const auto& parts = trace_.collective_tasks;
  std::map<StringId, std::uint32_t> planes_of_group;  // Number of planes by group.
  std::map<StringId, StringId> group_names;           // What the lane of a group is called.
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops.device[i] != device) continue;
    planes_of_group.try_emplace(ops.group[i], 0);
    const bool named = ops.group_name[i] != kEmptyString;
    group_names.try_emplace(ops.group[i], named ? ops.group_name[i] : ops.group[i]);
  }
  if (planes_of_group.empty()) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t op = parts.op[i];
    if (ops.device[op] != device || parts.plane[i] == kNone) continue;
    std::uint32_t& planes = planes_of_group[ops.group[op]];
    planes = std::max(planes, parts.plane[i] + 1);
  }
  const std::uint64_t layer = pid(kCommunicationLayer, device);
  timeline_.layer(kCommunicationLayer, layer, device);
  std::map<StringId, std::uint64_t> first_lane;
  std::uint64_t lane = 0;
  for (const auto& [group, planes] : planes_of_group) {
    first_lane[group] = lane;
    const std::string name(view(group_names.at(group)));
    timeline_.lane(layer, lane, name.empty() ? "Communication" : "Group " + name + " Communication",
                   lane);
    ++lane;
    if (!options_.host_calls) continue;
    for (std::uint32_t plane = 0; plane < planes; ++plane, ++lane) {
      timeline_.lane(layer, lane, "Plane " + std::to_string(plane), lane);
    }
  }
  timeline_.events(ops.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (ops.device[i] != device) continue;
      const std::uint64_t tid = first_lane.at(ops.group[i]);
      EventText event(out);
      event.slice(view(ops.name[i]), layer, tid, ops.start_ns[i], ops.end_ns[i]).begin_args();
      event.argument("rank_size", ops.rank_size[i]);
      event.argument("connection_id", connection_id(ops.api[i]))
          .argument("model id", ops.model_id[i]);
      event.argument("data_type", format::host::hccl_data_type_name(ops.data_type[i]));
      event.argument("alg_type", view(ops.algorithm[i])).argument("count", ops.count[i]);
      event.argument("relay", std::string_view(ops.relay[i] != 0 ? "yes" : "no"));
      event.argument("retry", std::string_view(ops.retry[i] != 0 ? "yes" : "no"));
      event.end_args().end();
      if (ops.api[i] != kNone) LaunchArrow(ops.api[i]).put(out, 'f', layer, tid, ops.start_ns[i]);
    }
  });
  if (!options_.host_calls) return;
  timeline_.events(parts.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t op = parts.op[i];
      if (ops.device[op] != device || parts.plane[i] == kNone) continue;
      put_collective_task(out, i, layer, first_lane.at(ops.group[op]) + 1 + parts.plane[i]);
    }
  });
}

void CannLayers::put_collective_task(TextBuffer& out, std::size_t i, std::uint64_t layer,
                                     std::uint64_t tid) const {
  const auto& parts = trace_.collective_tasks;
  const auto& tasks = trace_.tasks;
  const std::uint32_t task = parts.task[i];
  char digits[kMaxIntegerChars];
  const char* end = write_unsigned(digits, parts.notify_id[i]);
  EventText event(out);
  event.slice(view(parts.name[i]), layer, tid, parts.start_ns[i], parts.end_ns[i]).begin_args();
  event.argument("notify_id", std::string_view(digits, static_cast<std::size_t>(end - digits)));
  event.argument("duration estimated(us)", parts.estimated_us[i]);
  event.argument("stream id", tasks.stream[task]).argument("task id", tasks.task[task]);
  event.argument("context id", tasks.context[task]).argument("task type", view(parts.name[i]));
  event.argument("src rank", parts.source_rank[i]).argument("dst rank", parts.destination_rank[i]);
  event.argument("transport type", format::host::hccl_transport_type_name(parts.transport_type[i]));
  event.argument("size(Byte)", parts.size_bytes[i]);
  event.argument("data type", format::host::hccl_data_type_name(parts.data_type[i]));
  event.argument("link type", format::host::hccl_link_type_name(parts.link_type[i]));
  event.argument("bandwidth(GB/s)", parts.bandwidth_gb_s[i])
      .argument("model id", tasks.model_id[task]);
  event.end_args().end();
}

void CannLayers::write_overlap(std::uint16_t device) {
  static constexpr std::string_view kNames[] = {"Computing", "Communication",
                                                "Communication(Not Overlapped)", "Free"};
  const auto& intervals = trace_.overlap_intervals;
  if (std::find(intervals.device.begin(), intervals.device.end(), device) == intervals.device.end())
    return;
  const std::uint64_t layer = pid(kOverlapLayer, device);
  timeline_.layer(kOverlapLayer, layer, device);
  for (std::uint64_t kind = 0; kind < std::size(kNames); ++kind) {
    timeline_.lane(layer, kind, kNames[kind], kind);
  }
  timeline_.events(intervals.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (intervals.device[i] != device) continue;
      EventText event(out);
      event.slice(kNames[intervals.kind[i]], layer, intervals.kind[i], intervals.start_ns[i],
                  intervals.end_ns[i]);
      event.begin_args().end_args().end();
    }
  });
}

// mstx and msproftx: host ranges under the program's name, arrows to what the device saw of them.
void CannLayers::write_marks() {
  static constexpr std::string_view kEventTypes[] = {"marker", "push/pop", "start/end",
                                                     "marker_ex"};
  const auto& marks = trace_.marks;
  if (marks.size() == 0) return;
  Layer named = kMarkLayer;
  named.name = trace_.session.process_name.empty() ? "PID Name" : trace_.session.process_name;
  const std::uint64_t layer = pid(kMarkLayer, 0);
  timeline_.layer(named, layer, 0);
  const std::set<std::uint32_t> threads(marks.tid.begin(), marks.tid.end());
  for (const std::uint32_t tid : threads) {
    timeline_.lane(layer, tid, "Thread " + std::to_string(tid), tid);
  }
  std::vector<std::uint8_t> on_device(marks.size());
  for (const std::uint32_t mark : trace_.device_marks.mark) {
    if (mark != kNone) on_device[mark] = 1;
  }
  const auto put_arrow = [&](TextBuffer& out, char phase, std::uint64_t mark_id,
                             std::uint64_t arrow_pid, std::uint64_t tid, std::int64_t time_ns) {
    EventText event(out);
    event.flow(phase, "MsTx_" + std::to_string(mark_id), "MsTx", arrow_pid, tid, time_ns);
    // Far above connection ids, so that no two arrows share an id.
    constexpr std::uint64_t kFirstMarkConnection = 4000000001;
    out.text(",\"id\":\"").integer(mark_id + kFirstMarkConnection).character('"');
    event.end();
  };
  timeline_.events(marks.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      EventText event(out);
      event.slice(view(marks.message[i]), layer, marks.tid[i], marks.start_ns[i], marks.end_ns[i]);
      event.begin_args();
      if (marks.is_mstx[i] == 0) {
        event.argument("Category", marks.category[i])
            .argument("Payload_type", marks.payload_type[i]);
        event.argument("Payload_value", marks.payload[i])
            .argument("Message_type", marks.message_type[i]);
      }
      if (marks.event_type[i] < std::size(kEventTypes)) {
        event.argument("event_type", kEventTypes[marks.event_type[i]]);
      }
      if (marks.is_mstx[i] != 0) event.argument("domain", view(marks.domain[i]));
      event.end_args().end();
      if (on_device[i] == 0) continue;
      put_arrow(out, 's', marks.mark_id[i], layer, marks.tid[i], marks.start_ns[i]);
    }
  });
  const auto& device_marks = trace_.device_marks;
  timeline_.events(device_marks.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (device_marks.mark[i] == kNone) continue;
      const std::uint64_t hardware = pid(kHardwareLayer, device_marks.device[i]);
      EventText event(out);
      event.slice(view(marks.message[device_marks.mark[i]]), hardware, device_marks.stream[i],
                  device_marks.start_ns[i], device_marks.end_ns[i]);
      event.begin_args().argument("Physic Stream Id", device_marks.stream[i]);
      event.argument("Task Id", device_marks.task[i]).end_args().end();
      put_arrow(out, 'f', device_marks.mark_id[i], hardware, device_marks.stream[i],
                device_marks.start_ns[i]);
    }
  });
}

}  // namespace

void write_cann_layers(const Trace& trace, const CannLayerOptions& options, Timeline& timeline) {
  CannLayers(trace, options, timeline).write();
}

}  // namespace npuprof::report
