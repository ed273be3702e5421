#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::link {

// Where in the framework a device task comes from.
struct TaskOrigin {
  static constexpr std::int64_t kUnknownTime = INT64_MIN;

  // When the framework asked for the task: when it was enqueued, or launched if it did not go
  // through the queue. kUnknownTime if its launch was not recorded.
  std::int64_t asked_ns = kUnknownTime;
  std::uint32_t op = trace::kNone;  // Row in FrameworkOps.
};

// The origin of every row of Tasks. Needs tasks, the queue ranges with their operators and the op
// tree.
//
// A launch during a dequeue (same thread) belongs to the operator of the enqueue with the same
// correlation. Any other launch belongs to the innermost operator of its own thread at that time;
// in a profile without queue, and for a thread without operators, to the innermost one of all
// threads. Of operators of MindSpore it is the outermost one around it that launches, if there is
// one. Tasks of the profiler itself (marks) have no origin.
std::vector<TaskOrigin> find_task_origins(const trace::Trace& trace, const ThreadOrder& op_rows);

// Fills kernel_ops from the origins.
void link_kernel_ops(trace::Trace& trace, const std::vector<TaskOrigin>& origins);

// Replaces the rows of these tasks (in ascending order) by what the origins say, and keeps the
// rest.
void relink_kernel_ops(trace::Trace& trace, const std::vector<TaskOrigin>& origins,
                       std::span<const std::uint32_t> tasks);

}  // namespace npuprof::link
