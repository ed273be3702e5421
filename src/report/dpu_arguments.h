#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "format/host/enumerations.h"
#include "format/results/timeline_names.h"
#include "report/name_or_number.h"
#include "trace/host/dpu_tasks.h"
#include "trace/trace.h"

namespace npuprof::report {

// How bandwidths of data processing units are counted: GB are 10^9 bytes.
struct DpuBandwidthUnit {
  std::string_view key;
  double bytes_per_second;
};
inline constexpr DpuBandwidthUnit kDpuGigabytes{"Bandwidth(GB/s)", 1e9};
inline constexpr DpuBandwidthUnit kDpuBytes{"Bandwidth(B/s)", 1};

// The kernel or the step of a collective; kernels without a name are known by their type.
inline StringId dpu_task_name(const trace::DpuTasks& tasks, std::size_t row) {
  return tasks.name[row] == kEmptyString ? tasks.type[row] : tasks.name[row];
}

void put_dpu_collective(auto& target, const trace::Trace& trace, std::size_t row,
                        const DpuBandwidthUnit& unit) {
  using namespace format::host;  // NOLINT(google-build-using-namespace): names of numbers.
  const auto& tasks = trace.dpu_tasks();
  const auto put_name = [&](std::string_view key, std::string_view name, std::uint8_t number) {
    target.argument(key, std::string_view(name_or_number(name, number)));
  };
  std::string group(result_text(trace.strings.view(tasks.group[row])));
  group += "(" + std::to_string(tasks.group_hash[row]) + ")";
  const auto duration_ns = static_cast<double>(tasks.end_ns[row] - tasks.start_ns[row]);
  const double bytes = static_cast<double>(tasks.size_bytes[row]);

  put_name("OP Type", hccl_reduce_op_name(tasks.reduce_op[row]), tasks.reduce_op[row]);
  target.argument("AI CPU Device Id", tasks.device[row]);
  target.argument("AI CPU Task Id", tasks.aicpu_task[row]);
  target.argument("Group Name", std::string_view(group));
  target.argument("Plane Id", tasks.plane[row]);
  target.argument("Notify Id", tasks.notify_id[row]);
  target.argument("Duration Estimated(us)", tasks.estimated_us[row]);
  target.argument("Rank Size", tasks.rank_size[row]);
  target.argument("Src Rank", tasks.local_rank[row]);
  target.argument("Dst Rank", tasks.remote_rank[row]);
  put_name("Transport Type", hccl_transport_type_name(tasks.transport_type[row]),
           tasks.transport_type[row]);
  target.argument("Size(Byte)", tasks.size_bytes[row]);
  target.argument(unit.key,
                  duration_ns > 0 ? bytes / duration_ns * 1e9 / unit.bytes_per_second : 0.0);
  put_name("Data Type", hccl_data_type_name(tasks.data_type[row]), tasks.data_type[row]);
  put_name("Link Type", hccl_link_type_name(tasks.link_type[row]), tasks.link_type[row]);
  put_name("Rdma Type", hccl_rdma_type_name(tasks.rdma_type[row]), tasks.rdma_type[row]);
}

// Puts the arguments of a task of a data processing unit: of a slice of the timeline, or of the
// cell of the database that repeats them.
void put_dpu_arguments(auto& target, const trace::Trace& trace, std::size_t row,
                       const DpuBandwidthUnit& unit) {
  const auto& tasks = trace.dpu_tasks();
  target.argument(format::results::argument::kThread, tasks.tid[row]);
  target.argument(format::results::argument::kStream, tasks.stream[row]);
  target.argument(format::results::argument::kTask, tasks.task[row]);
  if (tasks.is_collective[row] != 0) return put_dpu_collective(target, trace, row, unit);
  target.argument(format::results::argument::kTaskType, trace.strings.view(tasks.type[row]));
}

}  // namespace npuprof::report
