#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace npuprof::link {

// How well the host's and the device's view of the tasks fit.
struct TaskJoin {
  std::uint64_t matched_tasks = 0;    // Device tasks with a launch.
  std::uint64_t early_tasks = 0;      // Without one: launched before the profile began.
  std::uint64_t unmatched_tasks = 0;  // Without one since: the host's record is lost.
  std::uint64_t unused_launches = 0;  // Never ran, or the device's record is lost.
  std::uint64_t ambiguous_tasks = 0;  // Several launches have the same identity; order decided.
};

// Fills Tasks and Kernels: joins the device's tasks to the launches with the same (device, stream,
// task, batch, context). One launch may have many tasks (a graph that is replayed).
//
// A MIX kernel runs as the only context, number 0, of an FFTS+ task. The kernel is that context;
// the enclosing task gets the launch but no operator. Hosts that do not report contexts (level 0)
// are treated alike.
//
// DeviceTasks and PmuRecords of chips without streams on the device (15, 16) get their stream here.
// Needs Launches, LaunchedOps and what load left in the device tables, which it sorts by (device,
// start).
TaskJoin link_tasks(trace::Trace& trace);

}  // namespace npuprof::link
