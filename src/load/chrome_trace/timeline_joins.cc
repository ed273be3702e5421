#include "load/chrome_trace/timeline_joins.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "base/text.h"
#include "base/units.h"
#include "format/host/levels.h"
#include "load/cann_host/api_records.h"
#include "load/chrome_trace/arrow_joins.h"
#include "load/chrome_trace/event_rows.h"
#include "load/chrome_trace/launch_points.h"
#include "load/id_rows.h"
#include "load/launch_times.h"
#include "load/result_order.h"
#include "load/shown_text.h"
#include "trace/device/device_memory.h"
#include "trace/device/frequencies.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/host/os_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::load {
namespace {

using trace::KernelKind;
using trace::kNone;
using trace::Trace;

// A task of a collective of which nothing else is known.
void append_unknown_part(trace::CollectiveTasks& parts, const trace::Tasks& tasks, std::uint32_t op,
                         std::uint32_t task, StringId group) {
  resize_rows(parts, parts.size() + 1);
  parts.op.back() = op;
  parts.task.back() = task;
  parts.start_ns.back() = tasks.start_ns[task];
  parts.end_ns.back() = tasks.end_ns[task];
  parts.group.back() = group;
  parts.is_master.back() = 1;
  parts.notify_id.back() = ~std::uint64_t{0};
  for (auto* column : {&parts.plane, &parts.rdma_type, &parts.source_rank, &parts.destination_rank,
                       &parts.transport_type, &parts.data_type, &parts.link_type}) {
    column->back() = kNone;
  }
}

// By device and end, each with the last end of any before its forward start.
void order_iterations(trace::Iterations& iterations) {
  reorder_rows(iterations, device_order(iterations.device, iterations.end_ns));
  const auto& ends = iterations.end_ns;
  std::size_t first = 0;  // Of the device.
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    if (iterations.device[i] != iterations.device[first]) first = i;
    const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = ends.begin() + static_cast<std::ptrdiff_t>(i);
    const auto after = std::upper_bound(begin, end, iterations.forward_start_ns[i]);
    if (after != begin) iterations.previous_end_ns[i] = *(after - 1);
  }
}

// Of the last kernel.
void set_tensors(trace::Kernels& kernels, const std::string& joined, StringPool& strings) {
  const std::vector<std::string_view> texts = split(joined, kTextSeparator);
  std::size_t i = 0;
  for (auto* column : {&kernels.input_shapes, &kernels.input_dtypes, &kernels.input_formats,
                       &kernels.output_shapes, &kernels.output_dtypes, &kernels.output_formats}) {
    if (i < texts.size()) column->back() = strings.intern(texts[i++]);
  }
}

class TimelineJoiner {
 public:
  TimelineJoiner(TimelineRows rows, const Lanes& lanes, Trace& trace)
      : rows_(std::move(rows)), lanes_(lanes), trace_(trace) {}

  TimelineLosses join() {
    trace_.strings = std::move(rows_.tables.strings);
    move_plain_tables();
    join_calls();
    add_missing_tasks();
    join_tasks();
    make_kernels();
    join_collectives();
    join_memory();
    find_devices();
    count(join_arrows(rows_.arrows, lanes_, collectives_, rows_.task_ids.connection, trace_));
    count(join_marks(rows_.mark_arrows, lanes_, rows_.device_mark_ids.name, trace_));
    drop_unmarked();
    return losses_;
  }

 private:
  void count(const LostArrows& lost) {
    losses_.half_arrows += lost.halves;
    losses_.arrows += lost.astray;
    losses_.backward_arrows += lost.backward;
  }
  void move_plain_tables();
  void join_calls();
  void add_missing_tasks();
  void join_tasks();
  void make_kernels();
  void append_kernel_of(std::uint32_t task);
  void join_collectives();
  void place_parts();
  void add_hidden_parts();
  void join_memory();
  void drop_unmarked();
  void find_devices();

  // The call that work begun at a time came from.
  std::uint32_t call_of(std::int64_t connection, std::int64_t begun_ns) {
    const trace::ApiCalls& calls = trace_.api_calls();
    if (connection == kNoConnection || calls.size() == 0) return kNone;
    std::uint32_t call = last_call_before(calls_, calls.start_ns, connection, begun_ns);
    if (call == kNone) {
      if (!launches_) launches_.emplace(rows_.launch_points, calls);
      call = launches_->find(connection);
    }
    if (call == kNone || !is_backward_in_time(calls.start_ns[call], begun_ns)) return call;
    ++losses_.backward_arrows;
    return kNone;
  }
  // Rows found by it are compared in full.
  static std::int64_t hash_of(std::uint16_t device, const trace::TaskId& task) {
    return static_cast<std::int64_t>(trace::DeviceTask::Hash{}({device, task.key()}));
  }
  // Batches are not in a timeline.
  trace::TaskId shown_task(std::size_t row) const {
    const auto& tasks = trace_.tasks();
    return {.stream = tasks.stream[row], .task = tasks.task[row], .context = tasks.context[row]};
  }
  IdRows tasks_by_id() const {
    std::vector<std::int64_t> ids(trace_.tasks().size());
    const auto& tasks = trace_.tasks();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = hash_of(tasks.device[i], shown_task(i));
    }
    return IdRows(ids);
  }
  std::uint32_t task_of_part(const IdRows& tasks, std::size_t part) const;

  TimelineRows rows_;
  const Lanes& lanes_;
  Trace& trace_;
  IdRows calls_;
  std::optional<LaunchPointCalls> launches_;
  PlacedCollectives collectives_;
  TimelineLosses losses_;
};

void TimelineJoiner::move_plain_tables() {
  trace_.framework_ops() = std::move(rows_.tables.framework_ops());
  trace_.mindspore_ops() = std::move(rows_.tables.mindspore_ops());
  trace_.enqueues() = std::move(rows_.tables.enqueues());
  trace_.dequeues() = std::move(rows_.tables.dequeues());
  reorder_rows(trace_.enqueues(), stable_order(trace_.enqueues().end_ns));
  reorder_rows(trace_.dequeues(), stable_order(trace_.dequeues().end_ns));
  trace_.python_calls() = std::move(rows_.tables.python_calls());
  trace_.cpu_ops() = std::move(rows_.tables.cpu_ops());
  trace_.garbage_collections() = std::move(rows_.tables.garbage_collections());
  trace_.overlap_intervals() = std::move(rows_.tables.overlap_intervals());
  trace_.marks() = std::move(rows_.tables.marks());
  reorder_rows(trace_.marks(), stable_order(trace_.marks().start_ns));
  trace_.device_marks() = std::move(rows_.tables.device_marks());
  apply_order(sort_by_device(trace_.device_marks()), rows_.device_mark_ids.name);
  trace_.iterations() = std::move(rows_.tables.iterations());
  order_iterations(trace_.iterations());
  trace_.iteration_ranges() = std::move(rows_.tables.iteration_ranges());
  sort_by_device(trace_.iteration_ranges());
  trace_.os_calls() = std::move(rows_.tables.os_calls());
  trace_.frequencies() = std::move(rows_.tables.frequencies());
  trace_.tasks() = std::move(rows_.tables.tasks());
  trace_.collective_ops() = std::move(rows_.tables.collective_ops());
  trace_.collective_tasks() = std::move(rows_.tables.collective_tasks());
}

void TimelineJoiner::join_calls() {
  trace_.api_calls() = std::move(rows_.tables.api_calls());
  apply_order(sort_api_calls(trace_.api_calls()), rows_.call_ids.connection);
  calls_ = IdRows(rows_.call_ids.connection);
}

// Parts of collectives whose stream is not shown are tasks too.
void TimelineJoiner::add_missing_tasks() {
  const IdRows known = tasks_by_id();
  const trace::CollectiveTasks& parts = trace_.collective_tasks();
  const PartIds& ids = rows_.part_ids;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (task_of_part(known, i) != kNone) continue;
    append_task(trace_.tasks(), {0, 0, parts.start_ns[i], parts.end_ns[i]}, ids.device[i],
                ids.stream[i]);
    trace_.tasks().task.back() = ids.task[i];
    trace_.tasks().context.back() = ids.context[i];
    trace_.tasks().model_id.back() = ids.model_id[i];
    trace_.tasks().shown_type.back() = parts.name[i];
    rows_.task_ids.connection.push_back(kNoConnection);
    rows_.task_ids.name.push_back(parts.name[i]);
    rows_.task_ids.op_type.push_back(kEmptyString);
    rows_.task_ids.blocks.push_back(0);
    rows_.task_ids.is_foreign.push_back(0);
    rows_.task_ids.tensors.push_back(kEmptyString);
  }
}

// Task numbers come round again: the one nearest in time.
std::uint32_t TimelineJoiner::task_of_part(const IdRows& by_id, std::size_t part) const {
  const PartIds& ids = rows_.part_ids;
  const auto& tasks = trace_.tasks();
  // Streams have 16 bits there.
  const trace::TaskId wanted{.stream = static_cast<std::uint16_t>(ids.stream[part]),
                             .task = ids.task[part],
                             .context = ids.context[part]};
  std::uint32_t best = kNone;
  std::int64_t best_distance = 0;
  for (std::uint32_t row = by_id.find(hash_of(ids.device[part], wanted)); row != kNone;
       row = by_id.next(row)) {
    if (tasks.device[row] != ids.device[part] || shown_task(row) != wanted) continue;
    const std::int64_t distance =
        std::abs(tasks.start_ns[row] - trace_.collective_tasks().start_ns[part]);
    if (best != kNone && distance >= best_distance) continue;
    best = row;
    best_distance = distance;
  }
  return best;
}

void TimelineJoiner::join_tasks() {
  const std::vector<std::uint32_t> order = sort_by_device(trace_.tasks());
  trace::reorder_rows(rows_.task_ids, order);
  trace::Tasks& tasks = trace_.tasks();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (lanes_.is_display()) tasks.task[i] = static_cast<std::uint32_t>(i);  // They have none.
    tasks.api[i] = call_of(rows_.task_ids.connection[i], tasks.start_ns[i]);
    if (tasks.api[i] != kNone) tasks.tid[i] = trace_.api_calls().tid[tasks.api[i]];
  }
}

// A task that runs an operator goes by the operator's name, any other by its type.
void TimelineJoiner::make_kernels() {
  std::unordered_map<std::uint32_t, bool> names_type;
  trace::Tasks& tasks = trace_.tasks();
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    const StringId name = rows_.task_ids.name[task];
    const auto [known, is_new] = names_type.try_emplace(to_index(name), false);
    if (is_new) {
      known->second = format::host::task_type_from_name(trace_.strings.view(name)).has_value();
    }
    const bool is_kernel = rows_.task_ids.is_foreign[task] != 0
                               ? rows_.task_ids.op_type[task] != kEmptyString
                               : !known->second && name != tasks.shown_type[task];
    if (is_kernel) {
      append_kernel_of(task);
    } else {
      // Older timelines give the type the device knows the task by; the host's is its name.
      tasks.shown_type[task] = name;
    }
  }
  set_host_types(trace_);
}

void TimelineJoiner::append_kernel_of(std::uint32_t task) {
  trace::Kernels& kernels = trace_.kernels();
  trace::Tasks& tasks = trace_.tasks();
  const StringId type = tasks.shown_type[task];
  const std::string_view type_text = trace_.strings.view(type);
  KernelKind kind = KernelKind::kCompute;
  if (type_text == "HCCL_AI_CPU") kind = KernelKind::kSchedule;
  if (type_text == "COMMUNICATION") kind = KernelKind::kCommunication;
  if (type_text == "WRITE_BACK" || type_text == "INVALID") kind = KernelKind::kHidden;
  const bool is_foreign = rows_.task_ids.is_foreign[task] != 0;
  const std::string_view name = trace_.strings.view(rows_.task_ids.name[task]);
  if (is_foreign && (name.starts_with("nccl") || name.starts_with("rccl"))) {
    kind = KernelKind::kCommunication;
  }
  tasks.kernel[task] = static_cast<std::uint32_t>(kernels.size());
  append_kernel(kernels, kind, rows_.task_ids.name[task]);
  kernels.task.back() = task;
  kernels.op_type.back() = rows_.task_ids.op_type[task];
  if (!is_foreign && kernels.op_type.back() == kEmptyString) {
    kernels.op_type.back() = trace_.strings.intern(type_of_node(name));
  }
  kernels.block_num.back() = rows_.task_ids.blocks[task];
  if (const StringId tensors = rows_.task_ids.tensors[task]; tensors != kEmptyString) {
    set_tensors(kernels, std::string(trace_.strings.view(tensors)), trace_.strings);
  }
  // At level 0 tasks are known by the host's types, or as "Other", and operators have none.
  const bool is_of_host = type_text.starts_with("KERNEL_") || type_text == "Other";
  kernels.task_type.back() = is_of_host ? kEmptyString : type;
}

void TimelineJoiner::join_collectives() {
  trace::CollectiveOps& ops = trace_.collective_ops();
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    ops.api[i] = call_of(rows_.collective_ids.connection[i], ops.start_ns[i]);
    if (ops.api[i] != kNone) ops.tid[i] = trace_.api_calls().tid[ops.api[i]];
  }
  place_parts();
  add_hidden_parts();
  // Rows move below: a collective is known again by its device, start and name.
  struct Lane {
    std::uint64_t pid;
    std::uint64_t tid;
  };
  std::map<std::tuple<std::uint16_t, std::int64_t, StringId>, Lane> lanes;
  const auto key = [&](std::uint32_t row) {
    return std::tuple(ops.device[row], ops.start_ns[row], ops.name[row]);
  };
  const CollectiveIds& ids = rows_.collective_ids;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    lanes[key(i)] = {ids.pid[i], ids.tid[i]};
  }
  sort_collectives(trace_);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const Lane& lane = lanes[key(i)];
    collectives_[{lane.pid, lane.tid, ops.start_ns[i]}] = i;
  }
}

// Gives each part its task and its collective: the one of its group that ran when it started.
void TimelineJoiner::place_parts() {
  const trace::CollectiveOps& ops = trace_.collective_ops();
  trace::CollectiveTasks& parts = trace_.collective_tasks();
  std::map<std::pair<std::uint16_t, StringId>, std::vector<std::uint32_t>> by_group;
  for (std::uint32_t i = 0; i < ops.size(); ++i)
    by_group[{ops.device[i], ops.group[i]}].push_back(i);
  for (auto& [group, rows] : by_group) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ops.start_ns[a] < ops.start_ns[b];
    });
  }
  const IdRows tasks = tasks_by_id();
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    const auto& rows = by_group[{rows_.part_ids.device[i], parts.group[i]}];
    const auto after = std::upper_bound(
        rows.begin(), rows.end(), parts.start_ns[i],
        [&](std::int64_t time, std::uint32_t op) { return time < ops.start_ns[op]; });
    if (after == rows.begin() || parts.start_ns[i] > ops.end_ns[*(after - 1)]) continue;
    parts.op[i] = *(after - 1);
    parts.task[i] = task_of_part(tasks, i);
    if (parts.task[i] != kNone) kept.push_back(i);
  }
  losses_.parts = parts.size() - kept.size();
  reorder_rows(parts, kept);
}

// At level 0 the timeline does not show the tasks of a collective as such; they have its
// connection.
void TimelineJoiner::add_hidden_parts() {
  const trace::CollectiveOps& ops = trace_.collective_ops();
  trace::CollectiveTasks& parts = trace_.collective_tasks();
  std::vector<std::uint8_t> has_parts(ops.size());
  for (const std::uint32_t op : parts.op) has_parts[op] = 1;
  if (std::find(has_parts.begin(), has_parts.end(), 0) == has_parts.end()) return;
  const IdRows by_connection(rows_.task_ids.connection);
  const trace::Tasks& tasks = trace_.tasks();
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    const std::int64_t connection = rows_.collective_ids.connection[op];
    if (has_parts[op] != 0 || connection == kNoConnection) continue;
    for (std::uint32_t task = by_connection.find(connection); task != kNone;
         task = by_connection.next(task)) {
      const bool is_within = tasks.device[task] == ops.device[op] &&
                             tasks.start_ns[task] >= ops.start_ns[op] &&
                             tasks.start_ns[task] <= ops.end_ns[op];
      if (is_within) append_unknown_part(parts, tasks, op, task, ops.group[op]);
    }
  }
}

// Other slices without a type, such as turns of the server that communicates for kernels, look like
// marks but have no arrow. A mark whose text was lost has this name.
void TimelineJoiner::drop_unmarked() {
  trace::DeviceMarks& marks = trace_.device_marks();
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < marks.size(); ++i) {
    const bool is_mark = marks.mark[i] != kNone ||
                         trace_.strings.view(rows_.device_mark_ids.name[i]) == kNotAvailable;
    if (is_mark) kept.push_back(i);
  }
  losses_.unmarked = marks.size() - kept.size();
  if (losses_.unmarked > 0) reorder_rows(marks, kept);
}

void TimelineJoiner::join_memory() {
  std::map<std::tuple<std::int64_t, std::uint16_t, std::uint8_t>, std::uint32_t> row_of;
  trace::DeviceMemory& memory = trace_.device_memory();
  const MemoryHalves& halves = rows_.memory;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const std::tuple key(halves.time_ns[i], halves.device[i], halves.event[i]);
    const auto [place, is_new] = row_of.try_emplace(key, static_cast<std::uint32_t>(memory.size()));
    if (is_new) {
      memory.time_ns.push_back(halves.time_ns[i]);
      memory.device.push_back(halves.device[i]);
      memory.event.push_back(halves.event[i]);
      memory.ddr_bytes.push_back(0);
      memory.hbm_bytes.push_back(0);
    }
    (halves.is_hbm[i] != 0 ? memory.hbm_bytes : memory.ddr_bytes)[place->second] = halves.bytes[i];
  }
}

void TimelineJoiner::find_devices() {
  std::set<std::uint16_t> devices(trace_.tasks().device.begin(), trace_.tasks().device.end());
  devices.insert(trace_.collective_ops().device.begin(), trace_.collective_ops().device.end());
  devices.insert(trace_.overlap_intervals().device.begin(),
                 trace_.overlap_intervals().device.end());
  devices.insert(trace_.iterations().device.begin(), trace_.iterations().device.end());
  for (const std::uint16_t id : devices) {
    trace::DeviceInfo device;
    device.id = id;
    device.chip = kNone;
    trace_.devices.push_back(std::move(device));
  }
  trace::Session& session = trace_.session;
  for (const LaneKind kind : {LaneKind::kCann, LaneKind::kHardware, LaneKind::kOverlap}) {
    if (session.pid != 0) break;
    std::set<std::uint32_t> pids;
    for (const auto& [pid, process] : lanes_.processes()) {
      if (process.kind == kind && process.os_pid != 0) pids.insert(process.os_pid);
    }
    if (!pids.empty()) session.pid = *pids.begin();
  }
  if (session.pid == 0 && trace_.framework_ops().size() > 0) {
    session.pid = trace_.framework_ops().pid.front();
  }
}

}  // namespace

TimelineLosses join_timeline(TimelineRows rows, const Lanes& lanes, Trace& trace) {
  return TimelineJoiner(std::move(rows), lanes, trace).join();
}

}  // namespace npuprof::load
