#include "load/cann_host/dpu_records.h"

#include <cstdint>
#include <string>
#include <unordered_map>

#include "format/host/additional_communication.h"
#include "format/host/compact_task.h"
#include "format/host/levels.h"
#include "load/plausible.h"
#include "trace/task_id.h"

namespace npuprof::load {
namespace {

using format::host::DeviceField;
using format::host::DpuHcclInfo;
using format::host::DpuTrack;
using format::host::kLevelRuntime;
using format::host::TaskTrack;

// Kernel names of the tasks that were put on units, by (unit, task): the record of a task's time
// has none.
using KernelNames = std::unordered_map<trace::DeviceTask, std::uint64_t, trace::DeviceTask::Hash>;

KernelNames kernel_names(DecodeContext& context) {
  KernelNames names;
  trace::Losses ignored;  // These records are read for other tasks, too.
  const auto slices = context.files.open(TaskTrack::kKind, ignored);
  for_each_host_record<TaskTrack>(
      slices, RecordMark::kChecked, ignored, [&](const TaskTrack& record, const HostSlice&) {
        if (record.device_field().device_class() != DeviceField::kDpu) return;
        names.insert_or_assign({record.device_field().id(), record.task_id}, record.kernel_name);
      });
  return names;
}

void fill_times(DecodeContext& context, const auto& record, trace::DpuTasks& tasks,
                std::size_t row) {
  tasks.start_ns[row] = context.clock.to_wall_ns(record.start);
  tasks.end_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
  tasks.tid[row] = record.header.thread_id;
  tasks.stream[row] = record.stream;
  tasks.task[row] = record.task_id;
}

// Whether a row can be shown; counts those that cannot.
bool check_times(const trace::DpuTasks& tasks, std::size_t row, std::size_t& backward) {
  if (is_plausible(tasks.start_ns[row], tasks.end_ns[row])) return true;
  ++backward;
  return false;
}

}  // namespace

void decode_dpu_tasks(DecodeContext& context, trace::DpuTasks& tasks) {
  std::size_t backward = 0;
  const auto slices = context.files.open(DpuTrack::kKind, context.losses);
  const bool has_tracks = count_records(slices, sizeof(DpuTrack)) > 0;
  const KernelNames names = has_tracks ? kernel_names(context) : KernelNames();
  decode_rows<DpuTrack>(
      context, DpuTrack::kKind, tasks,
      [&](const DpuTrack& record, const HostSlice&, std::size_t row) {
        fill_times(context, record, tasks, row);
        tasks.unit[row] = record.device_field().id();
        const auto name = names.find({tasks.unit[row], record.task_id});
        tasks.name[row] = name == names.end() ? kEmptyString : context.names.of_hash(name->second);
        tasks.type[row] = context.names.of_type(kLevelRuntime, record.task_type);
        tasks.is_collective[row] = 0;
        tasks.group[row] = kEmptyString;
        return check_times(tasks, row, backward);
      });
  decode_rows<DpuHcclInfo>(context, DpuHcclInfo::kKind, tasks,
                           [&](const DpuHcclInfo& record, const HostSlice&, std::size_t row) {
                             fill_times(context, record, tasks, row);
                             tasks.unit[row] = DeviceField{record.dpu_device}.id();
                             tasks.name[row] = context.names.of_hash(record.item);
                             tasks.type[row] = kEmptyString;
                             tasks.is_collective[row] = 1;
                             tasks.reduce_op[row] = record.reduce_op;
                             tasks.device[row] = DeviceField{record.npu_device}.id();
                             tasks.aicpu_task[row] = record.aicpu_task_id;
                             tasks.group_hash[row] = record.group_name;
                             tasks.group[row] =
                                 context.names.known_hash(record.group_name).value_or(kEmptyString);
                             tasks.rank_size[row] = record.rank_size;
                             tasks.local_rank[row] = record.local_rank;
                             tasks.remote_rank[row] = record.remote_rank;
                             tasks.plane[row] = record.plane_id;
                             tasks.notify_id[row] = record.notify_id;
                             tasks.estimated_us[row] = record.estimated_duration_us;
                             tasks.size_bytes[row] = record.data_size;
                             tasks.data_type[row] = record.data_type;
                             tasks.link_type[row] = record.link_type;
                             tasks.transport_type[row] = record.transport_type;
                             tasks.rdma_type[row] = record.rdma_type;
                             return check_times(tasks, row, backward);
                           });
  if (backward > 0) {
    context.losses.add((context.files.directory() / "*.dpu_*").native(), 0, backward,
                       std::to_string(backward) +
                           " tasks of data processing units end before they begin and were left "
                           "out.");
  }
}

}  // namespace npuprof::load
