#pragma once

#include <cstdint>
#include <vector>

#include "analyze/graph_events.h"
#include "base/interval_sweep.h"
#include "trace/row.h"

namespace npuprof::analyze {

// An execution of a graph as it is found, before its parts are measured. Numbers are places of the
// thread.
struct FoundExecution {
  std::uint32_t outer = trace::kNone;    // I, or the `cache_compiler inference` in its place.
  std::uint32_t run = trace::kNone;      // R; none for ACL graphs and what runs eagerly.
  std::uint32_t before = trace::kNone;   // The Run before this one inside the same outer range.
  std::uint32_t wrapper = trace::kNone;  // Outermost inference around it without a Run of its own.
  Interval range;                        // What counts as I of this execution.
};

struct FoundExecutions {
  std::vector<FoundExecution> executions;    // In order of time.
  std::vector<std::uint32_t> compile;        // Outermost ranges of compilation.
  std::vector<std::uint32_t> lone_launches;  // Launches of GE outside of any Run.
};

FoundExecutions find_graph_executions(const GraphThread& thread);

// The innermost range of that kind around a place, or kNone.
std::uint32_t enclosing_graph_event(const GraphThread& thread, std::uint32_t place,
                                    GraphEvent event);

}  // namespace npuprof::analyze
