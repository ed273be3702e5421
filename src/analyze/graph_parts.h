#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/head_overhead.h"

namespace npuprof::analyze {

// A part of an execution of a compiled graph, where it lies in time. Compiling and loading are
// inside of the part that they make longer.
struct GraphPart {
  std::string_view name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  friend bool operator==(const GraphPart&, const GraphPart&) = default;
};

// In order of time, one after the other, as far as they are known; none is empty.
std::vector<GraphPart> graph_parts(const GraphExecution& execution);

}  // namespace npuprof::analyze
