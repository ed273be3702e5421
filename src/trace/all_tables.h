#pragma once

// What is done with every table of a Trace. Whoever includes this is compiled again when any table
// changes; most files include the few tables they use instead.

#include <cstddef>
#include <string_view>

#include "trace/device/aicpu_nodes.h"
#include "trace/device/async_copies.h"
#include "trace/device/block_intervals.h"
#include "trace/device/block_numbers.h"
#include "trace/device/cache_counters.h"
#include "trace/device/ccu_channels.h"
#include "trace/device/ccu_missions.h"
#include "trace/device/core_samples.h"
#include "trace/device/data_queue_events.h"
#include "trace/device/device_collectives.h"
#include "trace/device/device_memory.h"
#include "trace/device/device_tasks.h"
#include "trace/device/frequencies.h"
#include "trace/device/fusion_parts.h"
#include "trace/device/instruction_samples.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pipe_intervals.h"
#include "trace/device/pmu_records.h"
#include "trace/device/rate_samples.h"
#include "trace/device/step_marks.h"
#include "trace/framework/allocations.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/memory_labels.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/pipeline_ops.h"
#include "trace/framework/pool_totals.h"
#include "trace/framework/program_counters.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/host/ccu_infos.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/communicator_streams.h"
#include "trace/host/context_ids.h"
#include "trace/host/copy_infos.h"
#include "trace/host/dpu_tasks.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/host/host_usage.h"
#include "trace/host/logical_streams.h"
#include "trace/host/marks.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/operator_memory.h"
#include "trace/host/os_calls.h"
#include "trace/host/static_memory.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launched_collectives.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/device_steps.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/machine/cpu_samples.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"
#include "trace/table.h"
#include "trace/tables.h"
#include "trace/trace.h"

namespace npuprof::trace {

struct TableFacts {
  std::string_view name;
  TableKind kind;
};

// Calls visit(facts, table of the first trace, table of the second, ...) for each table. With one
// trace, that is visit(facts, table).
template <typename Visit, typename... Traces>
void for_each_table(const Visit& visit, Traces&... traces) {
#define NPUPROF_VISIT(Table, name, kind) \
  visit(TableFacts{#name, TableKind::kind}, traces.name()...);
  NPUPROF_TRACE_TABLES(NPUPROF_VISIT)
#undef NPUPROF_VISIT
}

// Numbers of tables, in the order of the list.
enum class TableNumber : std::size_t {
#define NPUPROF_NUMBER(Table, name, kind) name,
  NPUPROF_TRACE_TABLES(NPUPROF_NUMBER)
#undef NPUPROF_NUMBER
      kCount
};
inline constexpr std::size_t kTableCount = static_cast<std::size_t>(TableNumber::kCount);
template <typename Table>
inline constexpr std::size_t kTableNumber = kTableCount;
#define NPUPROF_NUMBER(Table, name, kind) \
  template <>                             \
  inline constexpr std::size_t kTableNumber<Table> = static_cast<std::size_t>(TableNumber::name);
NPUPROF_TRACE_TABLES(NPUPROF_NUMBER)
#undef NPUPROF_NUMBER

}  // namespace npuprof::trace
