#pragma once

// Memory of a static graph as its compiler plans it: an operator has room for what it makes until
// the last one that takes it has run.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/npu/graph_points.h"

namespace npuprof::sim {

struct PlannedBlock {
  std::size_t node = 0;
  std::size_t last_use = 0;  // The node after which others may have the room.
  std::uint64_t bytes = 0;
};

struct MemoryPlan {
  std::vector<PlannedBlock> blocks;  // In order of their nodes; none without bytes.
  std::uint64_t peak_bytes = 0;      // In use at a time, at most.
};

MemoryPlan plan_memory(std::span<const GraphOperator> nodes);

}  // namespace npuprof::sim
