#include "link/framework/task_origins.h"

#include <algorithm>
#include <utility>

#include "format/host/levels.h"
#include "format/mindspore/op_range.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using trace::kNone;

// Marks on a stream, and what switches the profiler, are no work that an operator asks for; results
// do not say when they were put on their stream.
bool is_of_profiler(std::uint16_t host_type) {
  using format::host::TaskType;
  return host_type == static_cast<std::uint16_t>(TaskType::kProfilerTraceEx) ||
         host_type == static_cast<std::uint16_t>(TaskType::kProfilingEnable) ||
         host_type == static_cast<std::uint16_t>(TaskType::kProfilingDisable);
}

class OriginFinder {
 public:
  OriginFinder(const trace::Trace& trace, const ThreadOrder& op_rows)
      : trace_(trace),
        dequeue_rows_(ThreadOrder::of_events(trace.dequeues().tid, trace.dequeues().start_ns)),
        last_dequeue_(dequeue_rows_, trace.dequeues().start_ns),
        ops_(trace.framework_ops(), op_rows),
        has_launches_(trace.session.framework == trace::Framework::kMindSpore) {
    if (has_launches_) is_launch_.resize(trace.strings.size());
  }

  TaskOrigin find(std::uint32_t tid, std::int64_t launch_ns) {
    const trace::Dequeues& dequeues = trace_.dequeues();
    const std::uint32_t dequeue = last_dequeue_.find(tid, launch_ns);
    if (dequeue != kNone && launch_ns <= dequeues.end_ns[dequeue]) {
      const auto enqueue = dequeues.partner[dequeue];
      if (enqueue == kNone) return {launch_ns, kNone};
      return {trace_.enqueues().start_ns[enqueue], trace_.enqueues().op[enqueue]};
    }
    const bool by_time_alone = dequeues.size() == 0 && !has_launches_ && !ops_.has_thread(tid);
    const std::uint32_t op = by_time_alone ? ops_.innermost_of_all(launch_ns)
                                           : ops_.innermost(tid, launch_ns, launch_ns);
    return has_launches_ ? of_launch(op, launch_ns) : TaskOrigin{launch_ns, op};
  }

 private:
  // MindSpore has ranges inside of the one that launches; that one counts.
  TaskOrigin of_launch(std::uint32_t op, std::int64_t launch_ns) {
    const trace::FrameworkOps& ops = trace_.framework_ops();
    TaskOrigin origin{launch_ns, op};
    for (; op != kNone; op = ops.parent[op]) {
      if (is_launch(ops.name[op])) origin = {ops.start_ns[op], op};
    }
    return origin;
  }
  bool is_launch(StringId name) {
    enum : std::uint8_t { kUnknown, kNo, kYes };
    std::uint8_t& answer = is_launch_[to_index(name)];
    if (answer == kUnknown) {
      answer = format::mindspore::is_launch_name(trace_.strings.view(name)) ? kYes : kNo;
    }
    return answer == kYes;
  }

  const trace::Trace& trace_;
  ThreadOrder dequeue_rows_;
  LastStarted last_dequeue_;
  OpFinder ops_;
  bool has_launches_;
  std::vector<std::uint8_t> is_launch_;  // By string id.
};

}  // namespace

std::vector<TaskOrigin> find_task_origins(const trace::Trace& trace, const ThreadOrder& op_rows) {
  const trace::Tasks& tasks = trace.tasks();
  std::vector<TaskOrigin> origins(tasks.size());
  OriginFinder finder(trace, op_rows);
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (is_of_profiler(tasks.host_type[row])) continue;
    if (tasks.launch_ns[row] != 0) {
      origins[row] = finder.find(tasks.tid[row], tasks.launch_ns[row]);
    } else if (const auto api = tasks.api[row]; api != kNone) {
      origins[row] = finder.find(trace.api_calls().tid[api], trace.api_calls().start_ns[api]);
    }
  }
  return origins;
}

void link_kernel_ops(trace::Trace& trace, const std::vector<TaskOrigin>& origins) {
  // Counting by operator keeps the tasks of each in order.
  std::vector<std::uint32_t> next(trace.framework_ops().size() + 1, 0);
  for (const TaskOrigin& origin : origins) {
    if (origin.op != kNone) ++next[origin.op + 1];
  }
  for (std::size_t op = 1; op < next.size(); ++op) next[op] += next[op - 1];
  trace::KernelOps& pairs = trace.kernel_ops();
  pairs = {};
  resize_rows(pairs, next.back());
  for (std::uint32_t task = 0; task < origins.size(); ++task) {
    const std::uint32_t op = origins[task].op;
    if (op == kNone) continue;
    const std::uint32_t place = next[op]++;
    pairs.op[place] = op;
    pairs.task[place] = task;
  }
}

void relink_kernel_ops(trace::Trace& trace, const std::vector<TaskOrigin>& origins,
                       std::span<const std::uint32_t> tasks) {
  trace::KernelOps& pairs = trace.kernel_ops();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (std::binary_search(tasks.begin(), tasks.end(), pairs.task[i])) continue;
    rows.emplace_back(pairs.op[i], pairs.task[i]);
  }
  for (const std::uint32_t task : tasks) {
    if (origins[task].op != kNone) rows.emplace_back(origins[task].op, task);
  }
  std::sort(rows.begin(), rows.end());
  resize_rows(pairs, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pairs.op[i] = rows[i].first;
    pairs.task[i] = rows[i].second;
  }
}

}  // namespace npuprof::link
