#include "analyze/operator_times.h"

#include <algorithm>
#include <tuple>

namespace npuprof::analyze {
namespace {

// All operators by (start, longest first): a parent always comes before its children.
std::vector<std::uint32_t> outer_first(const trace::FrameworkOps& ops) {
  std::vector<std::uint32_t> order(ops.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(ops.start_ns[a], -ops.end_ns[a], a) <
           std::tuple(ops.start_ns[b], -ops.end_ns[b], b);
  });
  return order;
}

}  // namespace

OperatorTimes operator_times(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops;
  const auto& tasks = trace.tasks;
  OperatorTimes times;
  times.host_self_ns.resize(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i)
    times.host_self_ns[i] = ops.end_ns[i] - ops.start_ns[i];
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops.parent[i] == trace::kNone) continue;
    times.host_self_ns[ops.parent[i]] -= ops.end_ns[i] - ops.start_ns[i];
  }

  times.device_self_ns.resize(ops.size());
  times.ai_core_self_ns.resize(ops.size());
  const auto ai_core = trace.strings.find("AI_CORE");
  for (std::size_t i = 0; i < trace.kernel_ops.size(); ++i) {
    const std::uint32_t task = trace.kernel_ops.task[i];
    const std::uint32_t op = trace.kernel_ops.op[i];
    const std::int64_t duration_ns = tasks.end_ns[task] - tasks.start_ns[task];
    times.device_self_ns[op] += duration_ns;
    const std::uint32_t kernel = tasks.kernel[task];
    if (ai_core && kernel != trace::kNone && trace.kernels.task_type[kernel] == *ai_core) {
      times.ai_core_self_ns[op] += duration_ns;
    }
  }
  times.device_total_ns = times.device_self_ns;
  times.ai_core_total_ns = times.ai_core_self_ns;
  const std::vector<std::uint32_t> order = outer_first(ops);
  for (auto op = order.rbegin(); op != order.rend(); ++op) {  // Children before parents.
    const std::uint32_t parent = ops.parent[*op];
    if (parent == trace::kNone) continue;
    times.device_total_ns[parent] += times.device_total_ns[*op];
    times.ai_core_total_ns[parent] += times.ai_core_total_ns[*op];
  }
  return times;
}

std::vector<std::uint32_t> operators_by_start(const trace::Trace& trace) {
  std::vector<std::uint32_t> order = outer_first(trace.framework_ops);
  std::erase_if(order, [&](std::uint32_t op) {
    const std::string_view name = trace.strings.view(trace.framework_ops.name[op]);
    return name.find("ProfilerStep#") != std::string_view::npos;
  });
  return order;
}

}  // namespace npuprof::analyze
