#include "analyze/task_operators.h"

#include "trace/framework/framework_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {

std::vector<std::uint32_t> operators_of_tasks(const trace::Trace& trace) {
  const auto& pairs = trace.kernel_ops();
  const auto& ops = trace.framework_ops();
  std::vector<std::uint32_t> result(trace.tasks().size(), trace::kNone);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint32_t op = pairs.op[i];
    const std::uint32_t task = pairs.task[i];
    if (task >= result.size() || op >= ops.size()) continue;
    std::uint32_t& known = result[task];
    if (known == trace::kNone || ops.start_ns[op] >= ops.start_ns[known]) known = op;
  }
  return result;
}

StringId stack_around(const trace::Trace& trace, std::uint32_t op) {
  const auto& ops = trace.framework_ops();
  while (op != trace::kNone && ops.stack[op] == kEmptyString) op = ops.parent[op];
  return op == trace::kNone ? kEmptyString : ops.stack[op];
}

}  // namespace npuprof::analyze
