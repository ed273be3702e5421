#include "analyze/operator_totals.h"

#include <span>

#include "analyze/memory_operators.h"
#include "base/saturated.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_range.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/linked/forward_backward.h"

namespace npuprof::analyze {
namespace {

using format::framework::DeviceType;
using trace::kNone;

// Memory that a program has: pools and their blocks are not counted twice.
bool is_of_program(const trace::MemoryEvents& events, std::size_t row) {
  using format::framework::MemoryComponent;
  using format::framework::MemoryEvent;
  return events.kind[row] != static_cast<std::uint8_t>(MemoryEvent::kBlockFree) &&
         events.component[row] == static_cast<std::uint8_t>(MemoryComponent::kCachingAllocator);
}

bool is_on(const trace::MemoryEvents& events, std::size_t row, DeviceType device) {
  return events.device_type[row] == static_cast<std::uint8_t>(device);
}

OperatorBytes operator_bytes(const trace::Trace& trace, std::span<const std::uint32_t> event_ops,
                             DeviceType device) {
  const auto& events = trace.memory_events();
  OperatorBytes bytes;
  bytes.self.resize(trace.framework_ops().size());
  for (std::size_t row = 0; row < events.size(); ++row) {
    if (event_ops[row] == kNone || !is_on(events, row, device) || !is_of_program(events, row)) {
      continue;
    }
    add_saturated(bytes.self[event_ops[row]], events.size_bytes[row]);
  }
  bytes.all = bytes.self;
  link::sum_over_subtrees(trace.framework_ops(), bytes.all);
  return bytes;
}

std::vector<std::uint32_t> memory_outside(const trace::Trace& trace,
                                          std::span<const std::uint32_t> event_ops) {
  const auto& events = trace.memory_events();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < events.size(); ++row) {
    const bool has_place =
        is_on(events, row, DeviceType::kCpu) || is_on(events, row, DeviceType::kNpu);
    if (event_ops[row] == kNone && has_place && is_of_program(events, row)) rows.push_back(row);
  }
  return rows;
}

std::vector<StringId> operator_stacks(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops();
  std::vector<StringId> stacks = ops.stack;
  const auto& pairs = trace.forward_backward();
  if (pairs.size() == 0) return stacks;
  std::vector<std::uint32_t> forward_of(ops.size(), kNone);
  for (std::size_t i = 0; i < pairs.size(); ++i) forward_of[pairs.backward[i]] = pairs.forward[i];
  // By operator: the forward operator of the node that it runs in. Outer operators come first.
  for (const std::uint32_t op : link::ops_in_nesting_order(ops)) {
    const auto parent = ops.parent[op];
    const bool is_node =
        ops.scope[op] == static_cast<std::uint8_t>(format::framework::OpScope::kBackwardFunction);
    if (!is_node && parent != kNone) forward_of[op] = forward_of[parent];
    if (forward_of[op] != kNone) stacks[op] = ops.stack[forward_of[op]];
  }
  return stacks;
}

}  // namespace

OperatorTotals operator_totals(const trace::Trace& trace) {
  const std::vector<std::uint32_t> event_ops = operators_at_memory_events(trace);
  return {.times = operator_times(trace),
          .cpu = operator_bytes(trace, event_ops, DeviceType::kCpu),
          .npu = operator_bytes(trace, event_ops, DeviceType::kNpu),
          .stacks = operator_stacks(trace),
          .memory_outside = memory_outside(trace, event_ops)};
}

}  // namespace npuprof::analyze
