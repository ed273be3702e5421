#include "link/host/call_forest.h"

#include <limits>

#include "format/host/levels.h"

namespace npuprof::link {
namespace {

using format::host::kLevelAcl;
using format::host::kLevelHccl;
using format::host::kLevelModel;
using format::host::kLevelNode;
using trace::kNone;

// The calls of one thread that take part in the tree, one by one.
class Admission {
 public:
  bool admits(std::uint16_t level, std::int64_t start_ns, std::int64_t end_ns) {
    if (start_ns >= end_ns) return false;  // Nothing can lie inside.
    switch (level) {
      case kLevelNode:
        return true;  // Collectives launch kernels that are nodes of their own.
      case kLevelAcl:
        return is_outermost(acl_end_ns_, start_ns, end_ns);
      case kLevelModel:
        return is_outermost(model_end_ns_, start_ns, end_ns);
      case kLevelHccl:
        return is_outermost(collective_end_ns_, start_ns, end_ns);
      default:
        return false;
    }
  }

 private:
  static bool is_outermost(std::int64_t& last_end_ns, std::int64_t start_ns, std::int64_t end_ns) {
    if (start_ns < last_end_ns) return false;
    last_end_ns = end_ns;
    return true;
  }

  static constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
  std::int64_t acl_end_ns_ = kBefore;
  std::int64_t model_end_ns_ = kBefore;
  std::int64_t collective_end_ns_ = kBefore;
};

std::uint32_t own_or_inherited(bool own, std::vector<std::uint32_t>& list, std::uint32_t position,
                               const std::vector<std::uint32_t>& column, std::uint32_t parent) {
  if (own) {
    list.push_back(position);
    return static_cast<std::uint32_t>(list.size() - 1);
  }
  return parent == kNone ? kNone : column[parent];
}

void add_call(CallForest& forest, const trace::ApiCalls& calls, std::uint32_t row,
              std::uint32_t parent) {
  const auto position = static_cast<std::uint32_t>(forest.size());
  const std::uint16_t level = calls.level[row];
  forest.start_ns.push_back(calls.start_ns[row]);
  forest.end_ns.push_back(calls.end_ns[row]);
  forest.call.push_back(row);
  forest.parent.push_back(parent);
  forest.model.push_back(
      own_or_inherited(level == kLevelModel, forest.models, position, forest.model, parent));
  forest.node.push_back(
      own_or_inherited(level == kLevelNode, forest.nodes, position, forest.node, parent));
  forest.collective.push_back(own_or_inherited(level == kLevelHccl, forest.collectives, position,
                                               forest.collective, parent));
}

}  // namespace

CallForest build_call_forest(const trace::ApiCalls& calls, const ThreadRows& rows,
                             std::size_t thread_count) {
  CallForest forest;
  for (auto* column : {&forest.start_ns, &forest.end_ns}) column->reserve(rows.size());
  for (auto* column :
       {&forest.call, &forest.parent, &forest.model, &forest.node, &forest.collective}) {
    column->reserve(rows.size());
  }
  forest.thread_begin.push_back(0);
  for (std::size_t thread = 0; thread < thread_count; ++thread) {
    Admission admission;
    std::uint32_t innermost = kNone;
    for (const std::uint32_t row : rows.of(thread)) {
      const std::int64_t end_ns = calls.end_ns[row];
      if (!admission.admits(calls.level[row], calls.start_ns[row], end_ns)) continue;
      while (innermost != kNone && end_ns > forest.end_ns[innermost]) {
        innermost = forest.parent[innermost];
      }
      add_call(forest, calls, row, innermost);
      innermost = static_cast<std::uint32_t>(forest.size() - 1);
    }
    forest.thread_begin.push_back(forest.size());
  }
  return forest;
}

std::uint32_t InnermostCall::at(std::int64_t time_ns) {
  while (next_ < end_ && forest_.start_ns[next_] < time_ns) {
    current_ = static_cast<std::uint32_t>(next_++);
  }
  while (current_ != kNone && forest_.end_ns[current_] < time_ns) {
    current_ = forest_.parent[current_];
  }
  return current_;
}

}  // namespace npuprof::link
