#pragma once

#include <cstdint>
#include <vector>

#include "analyze/operator_times.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// The memory that each operator took more than it gave back.
struct OperatorBytes {
  std::vector<std::int64_t> self;  // Without nested operators.
  std::vector<std::int64_t> all;
};

// What is known of each operator, by row of FrameworkOps.
struct OperatorTotals {
  OperatorTimes times;
  OperatorBytes cpu;
  OperatorBytes npu;
  // Call stacks. What runs in a node of the backward pass has that of the operator whose gradient
  // it computes, as in PyTorch.
  std::vector<StringId> stacks;
  // Rows of MemoryEvents: what was allocated and freed outside of operators.
  std::vector<std::uint32_t> memory_outside;
};

OperatorTotals operator_totals(const trace::Trace& trace);

}  // namespace npuprof::analyze
