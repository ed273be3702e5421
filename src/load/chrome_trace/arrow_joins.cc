#include "load/chrome_trace/arrow_joins.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "format/host/levels.h"
#include "load/id_rows.h"
#include "load/launch_times.h"
#include "load/mindspore/range_details.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using trace::kNone;
using trace::Trace;

// What an operator must be for an arrow to touch it: those of forward and backward passes have a
// sequence number, and others may begin at the same time.
enum class ArrowSide { kAny, kForward, kBackward };

// The operator that starts where an arrow begins or ends: the innermost one that will do.
class OperatorsAtArrows {
 public:
  OperatorsAtArrows(const trace::FrameworkOps& ops, const Arrows& arrows)
      : ops_(ops), arrows_(arrows) {
    std::vector<std::int64_t> ids(ops.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = mixed(ops.tid[i], static_cast<std::uint64_t>(ops.start_ns[i]), 0);
    }
    by_start_ = IdRows(ids);
  }

  std::uint32_t at(std::size_t arrow, ArrowSide side = ArrowSide::kAny) const {
    const auto tid = static_cast<std::uint32_t>(arrows_.tid[arrow]);
    const std::int64_t time_ns = arrows_.time_ns[arrow];
    std::uint32_t best = kNone;
    bool is_best_on_side = false;
    for (std::uint32_t row = by_start_.find(mixed(tid, static_cast<std::uint64_t>(time_ns), 0));
         row != kNone; row = by_start_.next(row)) {
      if (ops_.tid[row] != tid || ops_.start_ns[row] != time_ns) continue;
      const bool is_on_side = is_on(side, row);
      if (best != kNone && is_best_on_side && !is_on_side) continue;
      if (best == kNone || is_on_side != is_best_on_side || ops_.end_ns[row] <= ops_.end_ns[best]) {
        best = row;
        is_best_on_side = is_on_side;
      }
    }
    return best;
  }

 private:
  bool is_on(ArrowSide side, std::uint32_t row) const {
    if (side == ArrowSide::kAny) return true;
    const bool is_backward = ops_.forward_thread[row] != 0;
    return ops_.sequence[row] >= 0 && is_backward == (side == ArrowSide::kBackward);
  }

  const trace::FrameworkOps& ops_;
  const Arrows& arrows_;
  IdRows by_start_;
};

// What tasks of one call have in common: the call, or, where calls are not shown, the number by
// which it is known.
std::vector<std::int64_t> launches_of_tasks(const trace::Tasks& tasks,
                                            const std::vector<std::int64_t>& connections) {
  constexpr std::int64_t kFirstConnection = std::int64_t{1} << 32;
  std::vector<std::int64_t> launches;
  launches.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks.api[i] != kNone) {
      launches.push_back(tasks.api[i]);
    } else {
      launches.push_back(connections[i] == kNoConnection ? -1 : kFirstConnection + connections[i]);
    }
  }
  return launches;
}

// Adds the tasks that arrows from operators lead to.
class TasksAtArrows {
 public:
  TasksAtArrows(const Arrows& arrows, const Lanes& lanes, const PlacedCollectives& collectives,
                const std::vector<std::int64_t>& connections, Trace& trace)
      : arrows_(arrows),
        lanes_(lanes),
        collectives_(collectives),
        trace_(trace),
        launches_(launches_of_tasks(trace.tasks(), connections)),
        by_launch_(launches_) {}

  // False if the arrow leads nowhere.
  bool add(std::uint32_t op, std::size_t end) {
    const auto collective =
        collectives_.find({arrows_.pid[end], arrows_.tid[end], arrows_.time_ns[end]});
    if (collective != collectives_.end()) {
      add_collective(op, collective->second);
      return true;
    }
    const std::uint32_t task = task_at(end);
    if (task == kNone) return false;
    const bool is_graph = trace_.tasks().host_type[task] ==
                          static_cast<std::uint16_t>(format::host::TaskType::kModelExecute);
    if (launches_[task] < 0 || (trace_.tasks().api[task] == kNone && !is_graph)) {
      add_pair(op, task);
    } else {
      add_launch(op, launches_[task]);
    }
    return true;
  }

 private:
  void add_pair(std::uint32_t op, std::uint32_t task) {
    trace_.kernel_ops().op.push_back(op);
    trace_.kernel_ops().task.push_back(task);
  }

  // Some timelines have an arrow to each task of a call: one is enough.
  void add_launch(std::uint32_t op, std::int64_t launch) {
    const auto [last, is_new] = last_op_of_launch_.try_emplace(launch, op);
    if (!is_new && std::exchange(last->second, op) == op) return;
    for (std::uint32_t task = by_launch_.find(launch); task != kNone;
         task = by_launch_.next(task)) {
      add_pair(op, task);
    }
  }

  void add_collective(std::uint32_t op, std::uint32_t collective) {
    const trace::CollectiveTasks& parts = trace_.collective_tasks();
    const auto [first, last] = std::equal_range(parts.op.begin(), parts.op.end(), collective);
    for (auto part = first; part != last; ++part) add_pair(op, parts.task[part - parts.op.begin()]);
  }

  // Of tasks that start together, the one on the stream that the arrow points at.
  std::uint32_t task_at(std::size_t end) const {
    const trace::Tasks& tasks = trace_.tasks();
    const std::pair wanted(lanes_.process(arrows_.pid[end]).device, arrows_.time_ns[end]);
    const auto key = [&](std::size_t row) {
      return std::pair(tasks.device[row], tasks.start_ns[row]);
    };
    std::size_t low = 0;
    std::size_t high = tasks.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (key(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    std::uint32_t found = kNone;
    for (std::size_t row = low; row < tasks.size() && key(row) == wanted; ++row) {
      if (found == kNone || tasks.stream[row] == arrows_.tid[end]) {
        found = static_cast<std::uint32_t>(row);
      }
    }
    return found;
  }

  const Arrows& arrows_;
  const Lanes& lanes_;
  const PlacedCollectives& collectives_;
  Trace& trace_;
  std::vector<std::int64_t> launches_;  // By task.
  IdRows by_launch_;
  std::unordered_map<std::int64_t, std::uint32_t> last_op_of_launch_;
};

// Marks of the device by where they start. Several may start together: an arrow takes the first
// that has no mark yet and the name it asks for.
class DeviceMarksAtArrows {
 public:
  DeviceMarksAtArrows(const trace::DeviceMarks& marks, const std::vector<StringId>& names)
      : marks_(marks), names_(names) {
    std::vector<std::int64_t> ids(marks.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = id(marks.device[i], marks.start_ns[i]);
    by_start_ = IdRows(ids);
  }

  std::uint32_t find(std::uint16_t device, std::int64_t start_ns, StringId name) const {
    std::uint32_t row = by_start_.find(id(device, start_ns));
    while (row != kNone && (marks_.device[row] != device || marks_.start_ns[row] != start_ns ||
                            names_[row] != name || marks_.mark[row] != kNone)) {
      row = by_start_.next(row);
    }
    return row;
  }

 private:
  static std::int64_t id(std::uint16_t device, std::int64_t start_ns) {
    return mixed(device, static_cast<std::uint64_t>(start_ns), 0);
  }

  const trace::DeviceMarks& marks_;
  const std::vector<StringId>& names_;
  IdRows by_start_;
};

// Marks of the host by where they start, likewise; an arrow takes the first that it can join.
IdRows marks_by_start(const trace::Marks& marks) {
  std::vector<std::int64_t> ids(marks.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = mixed(marks.tid[i], static_cast<std::uint64_t>(marks.start_ns[i]), 0);
  }
  return IdRows(ids);
}

// Ends of arrows with one number, in the order of the file.
struct ArrowNumber {
  std::vector<std::size_t> starts;
  std::vector<std::size_t> ends;
};

bool leads_backward(const Arrows& arrows, std::size_t start, std::size_t end) {
  return is_backward_in_time(arrows.time_ns[start], arrows.time_ns[end]);
}

// Puts starts and ends that belong together at the same place of both lists; what is left over
// follows. Writers put down the two ends of each arrow one after the other, so the k-th start goes
// with the k-th end. Where that would lead backward in time, each end has the last start before it.
void pair_ends(const Arrows& arrows, ArrowNumber& number) {
  const std::size_t pairs = std::min(number.starts.size(), number.ends.size());
  const auto is_true = [&](std::size_t i) {
    return !leads_backward(arrows, number.starts[i], number.ends[i]);
  };
  std::size_t in_order = 0;
  while (in_order < pairs && is_true(in_order)) ++in_order;
  if (in_order == pairs) return;
  const auto by_time = [&](std::size_t a, std::size_t b) {
    return arrows.time_ns[a] < arrows.time_ns[b];
  };
  std::stable_sort(number.starts.begin(), number.starts.end(), by_time);
  std::stable_sort(number.ends.begin(), number.ends.end(), by_time);
  if (number.starts.size() == number.ends.size()) return;
  ArrowNumber paired;
  ArrowNumber left;
  std::size_t next = 0;
  for (const std::size_t end : number.ends) {
    std::size_t after = next;
    while (after < number.starts.size() && !leads_backward(arrows, number.starts[after], end)) {
      ++after;
    }
    if (after == next) {
      left.ends.push_back(end);
      continue;
    }
    for (; next + 1 < after; ++next) left.starts.push_back(number.starts[next]);
    paired.starts.push_back(number.starts[next++]);
    paired.ends.push_back(end);
  }
  for (; next < number.starts.size(); ++next) left.starts.push_back(number.starts[next]);
  const auto join = [](std::vector<std::size_t>& to, const std::vector<std::size_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  join(paired.starts, left.starts);
  join(paired.ends, left.ends);
  number = std::move(paired);
}

// Calls `visit` for the ends of each number, by kind and number.
template <typename Visit>
void for_each_number(const Arrows& arrows, Visit&& visit) {
  std::vector<std::uint32_t> order(arrows.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) { return std::pair(arrows.kind[i], arrows.id[i]); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  ArrowNumber number;
  for (std::size_t i = 0; i < order.size(); ++i) {
    (arrows.is_end[order[i]] != 0 ? number.ends : number.starts).push_back(order[i]);
    if (i + 1 < order.size() && key(order[i + 1]) == key(order[i])) continue;
    visit(number);
    number.starts.clear();
    number.ends.clear();
  }
}

// Calls `join(start, end)` for each arrow that has both ends and does not lead backward.
template <typename Join>
LostArrows for_each_arrow(const Arrows& arrows, Join&& join) {
  LostArrows lost;
  for_each_number(arrows, [&](ArrowNumber& number) {
    pair_ends(arrows, number);
    const std::size_t pairs = std::min(number.starts.size(), number.ends.size());
    lost.halves += number.starts.size() + number.ends.size() - 2 * pairs;
    for (std::size_t i = 0; i < pairs; ++i) {
      if (leads_backward(arrows, number.starts[i], number.ends[i])) {
        ++lost.backward;
      } else if (!join(number.starts[i], number.ends[i])) {
        ++lost.astray;
      }
    }
  });
  return lost;
}

// Pairs in ascending order, each once.
void sort_pairs(Trace& trace) {
  trace::KernelOps& pairs = trace.kernel_ops();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;
  sorted.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) sorted.emplace_back(pairs.op[i], pairs.task[i]);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  pairs = {};
  for (const auto& [op, task] : sorted) {
    pairs.op.push_back(op);
    pairs.task.push_back(task);
  }
  trace::ForwardBackward& joined = trace.forward_backward();
  std::vector<std::uint32_t> order(joined.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(joined.sequence[a], joined.forward[a]) <
           std::pair(joined.sequence[b], joined.forward[b]);
  });
  reorder_rows(joined, order);
}

}  // namespace

LostArrows join_arrows(const Arrows& arrows, const Lanes& lanes,
                       const PlacedCollectives& collectives,
                       const std::vector<std::int64_t>& connections, Trace& trace) {
  if (arrows.size() == 0) return {};
  const OperatorsAtArrows operators(trace.framework_ops(), arrows);
  TasksAtArrows tasks(arrows, lanes, collectives, connections, trace);
  const LostArrows lost = for_each_arrow(arrows, [&](std::size_t start, std::size_t end) {
    const auto kind = static_cast<ArrowMeaning>(arrows.kind[end]);
    if (kind == ArrowMeaning::kFlow) {
      const std::uint32_t to = operators.at(end);
      if (to == kNone || to >= trace.mindspore_ops().size()) return false;
      append_flow(arrows.id[start], arrows.time_ns[start], trace.framework_ops().pid[to],
                  static_cast<std::uint32_t>(arrows.tid[start]), to, trace);
      return true;
    }
    if (kind == ArrowMeaning::kOperatorToTask) {
      const std::uint32_t op = operators.at(start);
      return op != kNone && tasks.add(op, end);
    }
    const std::uint32_t op = operators.at(start, ArrowSide::kForward);
    if (op == kNone) return false;
    const std::uint32_t backward = operators.at(end, ArrowSide::kBackward);
    if (backward == kNone) return false;
    trace.forward_backward().sequence.push_back(trace.framework_ops().sequence[op]);
    trace.forward_backward().forward.push_back(op);
    trace.forward_backward().backward.push_back(backward);
    return true;
  });
  sort_pairs(trace);
  return lost;
}

LostArrows join_marks(const Arrows& arrows, const Lanes& lanes, const std::vector<StringId>& names,
                      Trace& trace) {
  if (arrows.size() == 0) return {};
  // The number of an arrow is that of its mark, counted from here.
  constexpr std::uint64_t kFirstMarkArrow = 4000000001;
  trace::Marks& marks = trace.marks();
  const IdRows on_host = marks_by_start(marks);
  const DeviceMarksAtArrows on_device(trace.device_marks(), names);
  return for_each_arrow(arrows, [&](std::size_t start, std::size_t end) {
    const std::uint32_t tid = thread_of_mark(arrows.tid[start]);
    const std::int64_t time_ns = arrows.time_ns[start];
    const std::uint16_t device = lanes.process(arrows.pid[end]).device;
    for (std::uint32_t mark = on_host.find(mixed(tid, static_cast<std::uint64_t>(time_ns), 0));
         mark != kNone; mark = on_host.next(mark)) {
      if (marks.tid[mark] != tid || marks.start_ns[mark] != time_ns) continue;
      const std::uint32_t row = on_device.find(device, arrows.time_ns[end], marks.message[mark]);
      if (row == kNone) continue;
      marks.mark_id[mark] = trace.device_marks().mark_id[row] = arrows.id[end] - kFirstMarkArrow;
      trace.device_marks().mark[row] = mark;
      return true;
    }
    return false;
  });
}

}  // namespace npuprof::load
