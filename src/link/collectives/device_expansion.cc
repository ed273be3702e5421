#include "link/collectives/device_expansion.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "format/device/aicpu.h"
#include "format/device/chips.h"
#include "format/device/task_types.h"
#include "format/host/levels.h"
#include "link/device_rows.h"
#include "trace/device/device_collectives.h"
#include "trace/host/communicator_streams.h"
#include "trace/launched/launched_collectives.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::link {
namespace {

using format::device::AiCpuMainStreamMark;
using format::device::AiCpuType;
using format::host::TaskType;
using trace::kNone;

// Rows of Tasks by identity, of one device.
class TaskIndex {
 public:
  TaskIndex(const trace::Tasks& tasks, std::uint16_t device) {
    const auto [first, last] = device_rows(tasks.device, device);
    std::vector<std::uint64_t> keys;
    for (std::uint32_t row = first; row < last; ++row) {
      keys.push_back(task_id(tasks, row).key());
    }
    for (const std::uint32_t position : stable_order(keys)) {
      keys_.push_back(keys[position]);
      rows_.push_back(first + position);
    }
  }

  // The first execution of the task.
  std::uint32_t find(const trace::TaskId& id) const {
    const std::uint64_t key = id.key();
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (found == keys_.end() || *found != key) return kNone;
    return rows_[static_cast<std::size_t>(found - keys_.begin())];
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> rows_;
};

// Rows of DeviceCollectives of one kind by stream, then by time.
using RowsByStream = std::map<std::uint16_t, std::vector<std::uint32_t>>;

class DeviceExpansion {
 public:
  DeviceExpansion(const trace::Trace& trace, std::uint16_t device, CollectiveDrafts& drafts)
      : trace_(trace), device_(device), drafts_(drafts), index_(trace.tasks(), device) {}

  void run() {
    collect_records();
    collect_host_side();
    add_ops();
    redirect_host_tasks();
    add_tasks();
  }

 private:
  struct Kernel {
    std::uint32_t draft;
    bool from_library;  // The AI CPU reports its collectives: it is no fused kernel.
  };

  void collect_records();
  void collect_host_side();
  bool drives_collective(std::uint32_t task) const;
  void add_ops();
  void add_op(std::uint32_t task);
  std::uint32_t find_record(const RowsByStream& records, std::map<std::uint16_t, std::size_t>& next,
                            std::uint32_t task) const;
  void take_marks(std::uint32_t task, CollectiveDraft& draft);
  void find_host_collective(bool from_library, CollectiveDraft& draft);
  void redirect_host_tasks();
  void add_tasks();
  void add_tasks_of_group(std::uint64_t group, std::span<const std::uint32_t> tasks);
  void add_task(std::uint64_t group, const Kernel& kernel, std::uint32_t task);

  const trace::Trace& trace_;
  std::uint16_t device_;
  CollectiveDrafts& drafts_;
  TaskIndex index_;

  RowsByStream op_records_;
  RowsByStream mark_records_;  // By the stream of the AI CPU kernel.
  std::map<std::uint16_t, std::size_t> next_op_record_;
  std::map<std::uint16_t, std::size_t> next_mark_;
  std::map<std::uint32_t, std::uint32_t> details_;  // Row in Tasks to row of kind 13.

  std::map<std::uint32_t, std::uint32_t> collective_of_call_;  // AI CPU launch to collective.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      host_drafts_;                                      // By (collective, execution).
  std::map<std::uint32_t, std::uint32_t> replacements_;  // Host draft to its replacement.

  std::map<std::uint32_t, std::uint32_t> communicator_of_kernel_stream_;
  std::map<std::uint32_t, std::set<std::uint64_t>> groups_of_stream_;
  std::map<std::uint32_t, std::uint32_t> executions_;  // By launch.
  std::map<std::uint64_t, std::vector<Kernel>> kernels_of_group_;
  std::set<std::uint32_t> first_tasks_;  // Rows in Tasks.
  std::map<std::uint64_t, std::uint16_t> master_stream_;
  std::map<std::uint64_t, std::map<std::uint16_t, std::uint32_t>> planes_;
};

void DeviceExpansion::collect_records() {
  const trace::DeviceCollectives& table = trace_.device_collectives();
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    if (table.device[row] != device_) continue;
    switch (static_cast<AiCpuType>(table.kind[row])) {
      case AiCpuType::kHcclOp:
        op_records_[table.stream[row]].push_back(row);
        break;
      case AiCpuType::kMainStream:
        mark_records_[table.other_stream[row]].push_back(row);
        break;
      case AiCpuType::kHcclTasks: {
        const std::uint32_t task =
            index_.find({table.stream[row], table.batch[row], table.task[row]});
        if (task != kNone) details_[task] = row;
        break;
      }
      default:
        break;
    }
  }
  for (RowsByStream* records : {&op_records_, &mark_records_}) {
    for (auto& [stream, rows] : *records) {
      std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
        return table.time_ns[a] < table.time_ns[b];
      });
    }
  }
}

void DeviceExpansion::collect_host_side() {
  const trace::LaunchedCollectives& launched = trace_.launched_collectives();
  for (std::uint32_t row = 0; row < launched.size(); ++row) {
    if (launched.kfc_api[row] != kNone) collective_of_call_.try_emplace(launched.kfc_api[row], row);
  }
  for (std::uint32_t i = 0; i < drafts_.ops.size(); ++i) {
    const CollectiveDraft& op = drafts_.ops[i];
    if (op.device == device_) host_drafts_.try_emplace({op.launched, op.execution}, i);
  }
  const trace::CommunicatorStreams& table = trace_.communicator_streams();
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    communicator_of_kernel_stream_.try_emplace(table.kernel_stream[row], row);
    groups_of_stream_[table.stream[row]].insert(table.group_hash[row]);
  }
}

bool DeviceExpansion::drives_collective(std::uint32_t task) const {
  const auto kernel = trace_.tasks().kernel[task];
  if (kernel == kNone) return false;
  const std::uint16_t type = trace_.tasks().host_type[task];
  if (type == static_cast<std::uint16_t>(TaskType::kNotifyWait) ||
      type == static_cast<std::uint16_t>(TaskType::kMemcpyAsync)) {
    return false;
  }
  const std::string_view name = trace_.strings.view(trace_.kernels().name[kernel]);
  if (name == "hcomAicpuInit") return false;
  return name.ends_with("AicpuKernel") ||
         communicator_of_kernel_stream_.contains(trace_.tasks().stream[task]);
}

void DeviceExpansion::add_ops() {
  const auto [first, last] = device_rows(trace_.tasks().device, device_);
  for (std::uint32_t task = first; task < last; ++task) {
    if (drives_collective(task)) add_op(task);
  }
}

// The next record of the kernel's stream if it was made while the kernel ran.
std::uint32_t DeviceExpansion::find_record(const RowsByStream& records,
                                           std::map<std::uint16_t, std::size_t>& next,
                                           std::uint32_t task) const {
  const auto found = records.find(trace_.tasks().stream[task]);
  if (found == records.end()) return kNone;
  const std::vector<std::uint32_t>& rows = found->second;
  std::size_t& position = next[found->first];
  const auto time = [&] { return trace_.device_collectives().time_ns[rows[position]]; };
  while (position < rows.size() && time() < trace_.tasks().start_ns[task]) ++position;
  if (position == rows.size() || time() > trace_.tasks().end_ns[task]) return kNone;
  return rows[position++];
}

void DeviceExpansion::add_op(std::uint32_t task) {
  const trace::Tasks& tasks = trace_.tasks();
  const auto launch = tasks.launch[task];
  const auto kernel = tasks.kernel[task];
  const bool from_library = op_records_.contains(tasks.stream[task]);
  CollectiveDraft draft;
  draft.start_ns = tasks.start_ns[task];
  draft.end_ns = tasks.end_ns[task];
  draft.device = device_;
  draft.launch_ns = tasks.launch_ns[task];
  draft.kernel_launch = launch;
  draft.execution = ++executions_[launch];
  draft.name = trace_.kernels().name[kernel];
  draft.type = trace_.kernels().op_type[kernel];
  draft.api = tasks.api[task];
  draft.model_id = tasks.model_id[task];
  draft.tid = tasks.tid[task];

  const std::uint32_t record = find_record(op_records_, next_op_record_, task);
  const auto communicator = communicator_of_kernel_stream_.find(tasks.stream[task]);
  if (communicator != communicator_of_kernel_stream_.end()) {
    draft.group_hash = trace_.communicator_streams().group_hash[communicator->second];
    draft.group_name = trace_.communicator_streams().group[communicator->second];
    draft.rank_size = trace_.communicator_streams().rank_size[communicator->second];
  }
  if (record != kNone) {
    const trace::DeviceCollectives& table = trace_.device_collectives();
    draft.relay = table.relay[record];
    draft.retry = table.retry[record];
    draft.data_type = table.data_type[record];
    draft.algorithm = table.algorithm[record];
    draft.count = table.count[record];
    draft.group_hash = table.group_hash[record];
    draft.group_name = table.group[record];
    draft.rank_size = table.rank_size[record];
  }
  take_marks(task, draft);

  find_host_collective(from_library, draft);
  kernels_of_group_[draft.group_hash].push_back(
      {static_cast<std::uint32_t>(drafts_.ops.size()), from_library});
  drafts_.ops.push_back(draft);
}

// The call that launched the AI CPU knows the collective's own name.
void DeviceExpansion::find_host_collective(bool from_library, CollectiveDraft& draft) {
  const auto found = collective_of_call_.find(draft.api);
  if (!from_library || found == collective_of_call_.end()) return;
  const trace::LaunchedCollectives& launched = trace_.launched_collectives();
  draft.launched = found->second;
  draft.name = launched.name[found->second];
  if (launched.op_type[found->second] != kEmptyString) {
    draft.type = launched.op_type[found->second];
  }
  const auto host = host_drafts_.find({draft.launched, draft.execution});
  if (host == host_drafts_.end()) return;
  CollectiveDraft& host_draft = drafts_.ops[host->second];
  host_draft.is_replaced = true;
  replacements_[host->second] = static_cast<std::uint32_t>(drafts_.ops.size());
  if (draft.group_hash == 0) {
    draft.group_hash = host_draft.group_hash;
    draft.group_name = host_draft.group_name;
  }
}

void DeviceExpansion::take_marks(std::uint32_t task, CollectiveDraft& draft) {
  const trace::DeviceCollectives& table = trace_.device_collectives();
  while (true) {
    const std::uint32_t mark = find_record(mark_records_, next_mark_, task);
    if (mark == kNone) return;
    const std::uint32_t marked =
        index_.find({table.stream[mark], table.batch[mark], table.task[mark]});
    if (marked == kNone) continue;
    if (table.mark[mark] == AiCpuMainStreamMark::kFirst) {
      draft.start_ns = trace_.tasks().start_ns[marked];
      first_tasks_.insert(marked);
    }
    draft.end_ns = trace_.tasks().end_ns[marked];
  }
}

void DeviceExpansion::redirect_host_tasks() {
  if (replacements_.empty()) return;
  for (CollectiveTaskDraft& task : drafts_.tasks) {
    const auto found = replacements_.find(task.op);
    if (found == replacements_.end()) continue;
    task.op = found->second;
    task.plane = 0;
    task.is_master = false;
  }
}

void DeviceExpansion::add_tasks() {
  std::map<std::uint64_t, std::vector<std::uint32_t>> tasks_of_group;
  const auto [first, last] = device_rows(trace_.tasks().device, device_);
  for (std::uint32_t task = first; task < last; ++task) {
    const auto groups = groups_of_stream_.find(trace_.tasks().stream[task]);
    if (groups == groups_of_stream_.end()) continue;
    // Where AI CPUs report their tasks, others on these streams are not theirs.
    if (!details_.empty() && !details_.contains(task)) continue;
    for (const std::uint64_t group : groups->second) tasks_of_group[group].push_back(task);
  }
  for (auto& [group, tasks] : tasks_of_group) {
    std::stable_sort(tasks.begin(), tasks.end(), [&](std::uint32_t a, std::uint32_t b) {
      return trace_.tasks().end_ns[a] < trace_.tasks().end_ns[b];
    });
    add_tasks_of_group(group, tasks);
  }
}

// A task belongs to the collective within whose time it ends.
void DeviceExpansion::add_tasks_of_group(std::uint64_t group,
                                         std::span<const std::uint32_t> tasks) {
  std::vector<Kernel>& kernels = kernels_of_group_[group];
  std::stable_sort(kernels.begin(), kernels.end(), [&](const Kernel& a, const Kernel& b) {
    return drafts_.ops[a.draft].start_ns < drafts_.ops[b.draft].start_ns;
  });
  std::size_t next = 0;
  for (const Kernel& kernel : kernels) {
    const CollectiveDraft& op = drafts_.ops[kernel.draft];
    const auto end = [&] { return trace_.tasks().end_ns[tasks[next]]; };
    while (next < tasks.size() && end() < op.start_ns) ++next;
    for (; next < tasks.size() && end() <= op.end_ns; ++next) {
      add_task(group, kernel, tasks[next]);
    }
  }
}

// The main stream is the one of the first marked task, or of the tasks that only fused kernels
// have. The first task may have waited since before the collective began, so it is not one of the
// masters that give its time.
void DeviceExpansion::add_task(std::uint64_t group, const Kernel& kernel, std::uint32_t task) {
  const std::uint16_t stream = trace_.tasks().stream[task];
  const bool is_first = first_tasks_.contains(task);
  const auto type = format::device::sqe_kind_of(format::device::ChipFamily::kStars,
                                                trace_.tasks().device_type[task]);
  const bool is_fused_main = type == format::device::SqeKind::kCCore;
  CollectiveTaskDraft draft;
  if (is_first || is_fused_main) {
    master_stream_[group] = stream;
    draft.is_master = !kernel.from_library;
  } else {
    const auto master = master_stream_.find(group);
    draft.is_master = master != master_stream_.end() && master->second == stream;
  }
  const auto details = details_.find(task);
  if (details != details_.end()) {
    // Plane 0 is the stream that controls the AI CPU, if there is one.
    const std::uint32_t first_plane = kernel.from_library ? 1 : 0;
    if (draft.is_master || is_first) {
      draft.plane = first_plane;
    } else {
      auto& planes = planes_[group];
      const auto count = static_cast<std::uint32_t>(planes.size());
      draft.plane = first_plane + planes.try_emplace(stream, count + 1).first->second;
    }
    draft.details = details->second;
    draft.from_device = true;
  }
  draft.op = kernel.draft;
  draft.task = task;
  drafts_.tasks.push_back(draft);
}

}  // namespace

void add_device_collectives(const trace::Trace& trace, CollectiveDrafts& drafts) {
  if (trace.communicator_streams().size() == 0 && trace.device_collectives().size() == 0) return;
  for (const std::uint16_t device : distinct_devices(trace.tasks().device)) {
    DeviceExpansion(trace, device, drafts).run();
  }
}

}  // namespace npuprof::link
