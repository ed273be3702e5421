#include "analyze/memory_operators.h"

#include "base/sort_order.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"

namespace npuprof::analyze {

std::vector<std::uint32_t> operators_at_memory_events(const trace::Trace& trace) {
  const auto& events = trace.memory_events();
  const link::ThreadOrder op_rows = link::ops_by_thread(trace.framework_ops());
  link::OpFinder finder(trace.framework_ops(), op_rows);
  std::vector<std::uint32_t> ops(events.size());
  for (const std::uint32_t row : stable_order(events.time_ns)) {
    ops[row] = finder.innermost(events.tid[row], events.time_ns[row], events.time_ns[row]);
  }
  return ops;
}

}  // namespace npuprof::analyze
