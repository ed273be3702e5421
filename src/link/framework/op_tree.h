#pragma once

// Nesting of framework operators. Each thread has a tree of its own: an operator's parent is the
// innermost operator of the same thread that contains it. What runs at the same time on another
// thread (the backward pass, say) is no part of it.

#include <cstdint>
#include <span>
#include <vector>

#include "link/time_order.h"
#include "trace/framework/framework_ops.h"
#include "trace/trace.h"

namespace npuprof::link {

// Sets framework_ops.parent. Of two operators of a thread that overlap without one containing the
// other (asynchronous ones can), neither is the other's parent.
void link_op_tree(trace::Trace& trace, const ThreadOrder& op_rows);

// The operators by thread in order of start, parents before children.
ThreadOrder ops_by_thread(const trace::FrameworkOps& ops);

// The same of all threads together.
std::vector<std::uint32_t> ops_in_nesting_order(const trace::FrameworkOps& ops);

// Finds the operator around a point in time. Needs the parents; keeps references to its arguments.
// Questions in roughly ascending order per thread cost next to nothing.
class OpFinder {
 public:
  OpFinder(const trace::FrameworkOps& ops, const ThreadOrder& op_rows)
      : ops_(&ops), last_started_(op_rows, ops.start_ns) {}

  // Innermost operator of the thread that contains [start_ns, end_ns]; kNone if there is none.
  std::uint32_t innermost(std::uint32_t tid, std::int64_t start_ns, std::int64_t end_ns);

  // Innermost operator of any thread at that time: the one that started last.
  std::uint32_t innermost_of_all(std::int64_t time_ns);

  bool has_thread(std::uint32_t tid) const {
    return last_started_.rows().find(tid) != ThreadOrder::kNoThread;
  }

 private:
  std::uint32_t climb(std::uint32_t op, std::int64_t end_ns) const;

  const trace::FrameworkOps* ops_;
  LastStarted last_started_;
};

// Sets `op` of enqueues (the innermost operator around each) and of their dequeues. Needs queue
// ranges and the op tree.
void link_queue_ops(trace::Trace& trace, const ThreadOrder& op_rows);

// Time of each operator minus that of its direct children.
std::vector<std::int64_t> host_self_ns(const trace::FrameworkOps& ops);

// Adds to each operator's value those of all operators below it: self times become total times.
void sum_over_subtrees(const trace::FrameworkOps& ops, std::span<std::int64_t> values);

}  // namespace npuprof::link
