#include "analyze/operator_times.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/shown_tasks.h"
#include "base/sort_order.h"
#include "link/op_tree.h"

namespace npuprof::analyze {
OperatorTimes operator_times(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops;
  const auto& tasks = trace.tasks;
  OperatorTimes times;
  times.host_self_ns = link::host_self_ns(ops);
  times.device_self_ns.resize(ops.size());
  times.ai_core_self_ns.resize(ops.size());
  const auto ai_core = trace.strings.find("AI_CORE");
  // A task that was split into contexts is counted by these alone.
  std::vector<std::uint8_t> is_shown(tasks.size());
  for (const std::uint32_t task : shown_tasks(trace)) is_shown[task] = 1;
  for (std::size_t i = 0; i < trace.kernel_ops.size(); ++i) {
    const std::uint32_t task = trace.kernel_ops.task[i];
    const std::uint32_t op = trace.kernel_ops.op[i];
    if (is_shown[task] == 0) continue;
    const std::int64_t duration_ns = tasks.end_ns[task] - tasks.start_ns[task];
    times.device_self_ns[op] += duration_ns;
    const std::uint32_t kernel = tasks.kernel[task];
    if (ai_core && kernel != trace::kNone && trace.kernels.task_type[kernel] == *ai_core) {
      times.ai_core_self_ns[op] += duration_ns;
    }
  }
  times.device_total_ns = times.device_self_ns;
  times.ai_core_total_ns = times.ai_core_self_ns;
  link::sum_over_subtrees(ops, times.device_total_ns);
  link::sum_over_subtrees(ops, times.ai_core_total_ns);
  return times;
}

std::vector<std::uint32_t> operators_by_start(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops;
  // Few names belong to many operators, so each is looked at once.
  std::vector<std::uint8_t> is_step(trace.strings.size());
  for (std::uint32_t id = 0; id < is_step.size(); ++id) {
    const std::string_view text = trace.strings.view(StringId{id});
    is_step[id] = text.find("ProfilerStep#") != std::string_view::npos ? 1 : 0;
  }
  std::vector<std::uint32_t> order = nesting_order(ops.start_ns, ops.end_ns);
  std::erase_if(order, [&](std::uint32_t op) { return is_step[to_index(ops.name[op])] != 0; });
  return order;
}

}  // namespace npuprof::analyze
