#include "link/framework/op_tree.h"

#include <algorithm>

#include "base/saturated.h"
#include "base/sort_order.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::link {
namespace {

using trace::FrameworkOps;
using trace::kNone;

// A damaged record may end before it starts; it then lasts no time.
std::int64_t end_of(const FrameworkOps& ops, std::uint32_t row) {
  return std::max(ops.start_ns[row], ops.end_ns[row]);
}

}  // namespace

ThreadOrder ops_by_thread(const FrameworkOps& ops) {
  return ThreadOrder::of_ranges(ops.tid, ops.start_ns, ops.end_ns);
}

std::vector<std::uint32_t> ops_in_nesting_order(const FrameworkOps& ops) {
  return nesting_order(ops.start_ns, ops.end_ns, EqualIntervals::kLastIsOuter);
}

void link_op_tree(trace::Trace& trace, const ThreadOrder& op_rows) {
  FrameworkOps& ops = trace.framework_ops();
  ops.parent.assign(ops.size(), kNone);
  std::vector<std::uint32_t> open;
  for (std::size_t thread = 0; thread < op_rows.thread_count(); ++thread) {
    open.clear();
    for (const std::uint32_t row : op_rows.rows(thread)) {
      // An operator that ends first contains neither this one nor any later one that this one
      // does not cover as well.
      while (!open.empty() && end_of(ops, open.back()) < end_of(ops, row)) open.pop_back();
      if (!open.empty()) ops.parent[row] = open.back();
      open.push_back(row);
    }
  }
}

std::uint32_t OpFinder::climb(std::uint32_t op, std::int64_t end_ns) const {
  while (op != kNone && end_of(*ops_, op) < end_ns) op = ops_->parent[op];
  return op;
}

std::uint32_t OpFinder::innermost(std::uint32_t tid, std::int64_t start_ns, std::int64_t end_ns) {
  return climb(last_started_.find(tid, start_ns), end_ns);
}

std::uint32_t OpFinder::innermost_of_all(std::int64_t time_ns) {
  std::uint32_t best = kNone;
  for (std::size_t thread = 0; thread < last_started_.rows().thread_count(); ++thread) {
    const std::uint32_t op = climb(last_started_.find_in_thread(thread, time_ns), time_ns);
    if (op == kNone) continue;
    if (best == kNone || ops_->start_ns[op] > ops_->start_ns[best]) best = op;
  }
  return best;
}

void link_queue_ops(trace::Trace& trace, const ThreadOrder& op_rows) {
  trace::Enqueues& enqueues = trace.enqueues();
  OpFinder finder(trace.framework_ops(), op_rows);
  for (std::uint32_t row = 0; row < enqueues.size(); ++row) {
    enqueues.op[row] =
        finder.innermost(enqueues.tid[row], enqueues.start_ns[row], enqueues.end_ns[row]);
  }
  trace::Dequeues& dequeues = trace.dequeues();
  for (std::uint32_t row = 0; row < dequeues.size(); ++row) {
    const auto enqueue = dequeues.partner[row];
    dequeues.op[row] = enqueue == kNone ? trace::Row<FrameworkOps>() : enqueues.op[enqueue];
  }
}

std::vector<std::int64_t> host_self_ns(const FrameworkOps& ops) {
  std::vector<std::int64_t> self(ops.size());
  const auto duration = [&](std::uint32_t row) {
    return saturated_difference(end_of(ops, row), ops.start_ns[row]);
  };
  for (std::uint32_t row = 0; row < ops.size(); ++row) self[row] = duration(row);
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const auto parent = ops.parent[row];
    // Children that overlap each other must not take more than there is.
    if (parent != kNone) self[parent] = std::max<std::int64_t>(self[parent] - duration(row), 0);
  }
  return self;
}

void sum_over_subtrees(const FrameworkOps& ops, std::span<std::int64_t> values) {
  std::vector<std::uint32_t> open_children(ops.size(), 0);
  for (const std::uint32_t parent : ops.parent) {
    if (parent != kNone) ++open_children[parent];
  }
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (open_children[row] != 0) continue;
    // Hand the sum up as long as this was the last child that an operator waited for. A finished
    // operator must not start again when the loop comes to it: it is marked by kNone.
    std::uint32_t done = row;
    while (done != kNone && open_children[done] == 0) {
      open_children[done] = kNone;
      const auto parent = ops.parent[done];
      if (parent != kNone) {
        add_saturated(values[parent], values[done]);
        --open_children[parent];
      }
      done = parent;
    }
  }
}

}  // namespace npuprof::link
