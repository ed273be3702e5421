#pragma once

#include <cstdint>

#include "load/chrome_trace/lanes.h"
#include "load/chrome_trace/timeline_rows.h"
#include "trace/trace.h"

namespace npuprof::load {

// What could not be joined.
struct TimelineLosses {
  std::uint64_t parts = 0;            // Of collectives, where none of their group was running.
  std::uint64_t half_arrows = 0;      // That have one end only.
  std::uint64_t arrows = 0;           // That lead from or to nothing that is there.
  std::uint64_t backward_arrows = 0;  // That lead backward in time.
  std::uint64_t unmarked = 0;         // Slices on a stream that are neither tasks nor marks.
};

// Moves the rows of a timeline into the trace, in the order its tables promise, and joins them by
// the numbers and arrows that the timeline has: tasks with their calls, kernels, collectives with
// their tasks, operators with tasks, forward with backward operators.
TimelineLosses join_timeline(TimelineRows rows, const Lanes& lanes, trace::Trace& trace);

}  // namespace npuprof::load
