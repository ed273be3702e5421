#pragma once

// Slices of lanes merged by the path of names that leads to them: what a flame graph shows.

#include <cstdint>
#include <vector>

#include "serve/lane_index.h"
#include "trace/table.h"

namespace npuprof::serve {

struct CallTreeNode {
  std::uint32_t name = 0;
  std::uint32_t parent = trace::kNone;  // A node before this one.
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  SliceId first;
};

// In order of the first slice of each node. Only what begins in the span.
std::vector<CallTreeNode> call_tree(const LaneIndex& index, Span span,
                                    const std::vector<std::uint32_t>& lanes);

}  // namespace npuprof::serve
