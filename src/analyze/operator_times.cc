#include "analyze/operator_times.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/shown_tasks.h"
#include "base/interval_sweep.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// Operators in an order in which all below one stand directly behind it.
struct SubtreeOrder {
  explicit SubtreeOrder(const std::vector<trace::Row<trace::FrameworkOps>>& parents)
      : op(parents.size()), position(parents.size()), end(parents.size()) {
    std::vector<std::uint32_t> first_child(parents.size(), kNone);
    std::vector<std::uint32_t> next_sibling(parents.size(), kNone);
    std::uint32_t next_root = kNone;
    for (auto row = static_cast<std::uint32_t>(parents.size()); row-- > 0;) {
      std::uint32_t& first = parents[row] == kNone ? next_root : first_child[parents[row]];
      next_sibling[row] = first;
      first = row;
    }
    std::uint32_t count = 0;
    for (std::uint32_t row = next_root; row != kNone;) {
      position[row] = count;
      op[count++] = row;
      if (first_child[row] != kNone) {
        row = first_child[row];
        continue;
      }
      // Up to the next operator that has one beside it.
      while (row != kNone && next_sibling[row] == kNone) {
        end[position[row]] = count;
        row = parents[row];
      }
      if (row == kNone) break;
      end[position[row]] = count;
      row = next_sibling[row];
    }
  }

  std::size_t size() const { return op.size(); }

  std::vector<std::uint32_t> op;        // By position.
  std::vector<std::uint32_t> position;  // By operator.
  std::vector<std::uint32_t> end;       // By position: one past the last operator below.
};

// Device work of operators. Lists of all operators lie in one array, in the order of subtrees, so
// that they can be merged in place.
class DeviceWork {
 public:
  explicit DeviceWork(const SubtreeOrder& order) : order_(order) {}

  void add(std::uint32_t op, Interval interval) {
    if (interval.end > interval.begin) added_.push_back({order_.position[op], interval});
  }

  // Lengths of the unions of what operators did themselves, and with all below them.
  void measure(std::vector<std::int64_t>& self_ns, std::vector<std::int64_t>& total_ns) {
    self_ns.assign(order_.size(), 0);
    total_ns.assign(order_.size(), 0);
    sort_by_position();
    sizes_.assign(order_.size(), 0);
    for (auto position = static_cast<std::uint32_t>(order_.size()); position-- > 0;) {
      const std::uint32_t op = order_.op[position];
      const std::size_t begin = begins_[position];
      std::size_t size = begins_[position + 1] - begin;
      if (size > 0) size = merge(begin, size);
      self_ns[op] = length(begin, size);
      bool is_merged = true;
      for (std::uint32_t child = position + 1; child < order_.end[position];
           child = order_.end[child]) {
        if (sizes_[child] == 0) continue;
        is_merged = is_merged && size == 0;
        move(begins_[child], sizes_[child], begin + size);
        size += sizes_[child];
      }
      if (!is_merged) size = merge(begin, size);
      sizes_[position] = size;
      total_ns[op] = length(begin, size);
    }
  }

 private:
  struct Added {
    std::uint32_t position;
    Interval interval;
  };

  void sort_by_position() {
    begins_.assign(order_.size() + 1, 0);
    for (const Added& added : added_) ++begins_[added.position + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    intervals_.resize(added_.size());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (const Added& added : added_) intervals_[next[added.position]++] = added.interval;
    added_ = {};
  }

  // Towards the begin, or nowhere.
  void move(std::size_t from, std::size_t size, std::size_t to) {
    if (from == to) return;
    const auto first = intervals_.begin() + static_cast<std::ptrdiff_t>(from);
    std::copy(first, first + static_cast<std::ptrdiff_t>(size),
              intervals_.begin() + static_cast<std::ptrdiff_t>(to));
  }

  // Returns how many are left.
  std::size_t merge(std::size_t begin, std::size_t size) {
    const std::span<Interval> list = std::span(intervals_).subspan(begin, size);
    const auto starts_before = [](const Interval& a, const Interval& b) {
      return a.begin < b.begin;
    };
    if (!std::is_sorted(list.begin(), list.end(), starts_before)) {
      std::sort(list.begin(), list.end(), starts_before);
    }
    std::size_t last = 0;
    for (std::size_t i = 1; i < list.size(); ++i) {
      if (list[i].begin <= list[last].end) {
        list[last].end = std::max(list[last].end, list[i].end);
      } else {
        list[++last] = list[i];
      }
    }
    return last + 1;
  }

  std::int64_t length(std::size_t begin, std::size_t size) const {
    return total_length(std::span(intervals_).subspan(begin, size));
  }

  const SubtreeOrder& order_;
  std::vector<Added> added_;
  std::vector<std::size_t> begins_;  // By position, in intervals_.
  std::vector<std::size_t> sizes_;   // By position: the merged list of the whole subtree.
  std::vector<Interval> intervals_;
};

std::vector<std::uint32_t> collectives_of_tasks(const trace::Trace& trace) {
  std::vector<std::uint32_t> collectives(trace.tasks().size(), kNone);
  const trace::CollectiveTasks& parts = trace.collective_tasks();
  for (std::size_t i = 0; i < parts.size(); ++i) collectives[parts.task[i]] = parts.op[i];
  return collectives;
}

}  // namespace

OperatorTimes operator_times(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops();
  const auto& tasks = trace.tasks();
  OperatorTimes times;
  times.host_self_ns = link::host_self_ns(ops);
  const auto ai_core = trace.strings.find("AI_CORE");
  // A task that was split into contexts is counted by these alone.
  std::vector<std::uint8_t> is_shown(tasks.size());
  for (const std::uint32_t task : shown_tasks(trace)) is_shown[task] = 1;
  const std::vector<std::uint32_t> collective_of = collectives_of_tasks(trace);
  std::vector<std::uint32_t> last_op(trace.collective_ops().size(), kNone);
  const SubtreeOrder order(ops.parent);
  DeviceWork all(order);
  DeviceWork on_ai_core(order);
  for (std::size_t i = 0; i < trace.kernel_ops().size(); ++i) {
    const auto task = trace.kernel_ops().task[i];
    const auto op = trace.kernel_ops().op[i];
    if (is_shown[task] == 0) continue;
    const Interval run{tasks.start_ns[task], tasks.end_ns[task]};
    const std::uint32_t collective = collective_of[task];
    if (collective == kNone) {
      all.add(op, run);
    } else if (last_op[collective] != op) {
      last_op[collective] = op;
      all.add(op, {trace.collective_ops().start_ns[collective],
                   trace.collective_ops().end_ns[collective]});
    }
    const auto kernel = tasks.kernel[task];
    if (ai_core && kernel != kNone && trace.kernels().task_type[kernel] == *ai_core) {
      on_ai_core.add(op, run);
    }
  }
  all.measure(times.device_self_ns, times.device_total_ns);
  on_ai_core.measure(times.ai_core_self_ns, times.ai_core_total_ns);
  return times;
}

std::vector<std::uint32_t> operators_by_start(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops();
  // Few names belong to many operators, so each is looked at once.
  std::vector<std::uint8_t> is_step(trace.strings.size());
  for (std::uint32_t id = 0; id < is_step.size(); ++id) {
    const std::string_view text = trace.strings.view(StringId{id});
    is_step[id] = text.find("ProfilerStep#") != std::string_view::npos ? 1 : 0;
  }
  std::vector<std::uint32_t> order = link::ops_in_nesting_order(ops);
  std::erase_if(order, [&](std::uint32_t op) { return is_step[to_index(ops.name[op])] != 0; });
  return order;
}

}  // namespace npuprof::analyze
