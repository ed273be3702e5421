#include "analyze/task_modules.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyze/module_calls.h"
#include "analyze/module_frames.h"
#include "link/framework/handed_work.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::string_view kBackwardSuffix = " (backward)";
constexpr std::uint32_t kStartEndRange = 2;  // Event type of mstx ranges.

struct PathRange {
  std::uint32_t tid;
  std::int64_t start_ns;
  std::int64_t end_ns;
  StringId name;
  std::uint32_t parent = kNone;
  std::uint32_t path = kNone;
};

std::vector<PathRange> recorded_ranges(const trace::Trace& trace) {
  std::vector<PathRange> ranges;
  const auto& marks = trace.marks();
  const auto domain = trace.strings.find("Module");
  for (std::size_t i = 0; domain && i < marks.size(); ++i) {
    if (marks.domain[i] != *domain || marks.event_type[i] != kStartEndRange) continue;
    ranges.push_back({marks.tid[i], marks.start_ns[i], marks.end_ns[i], marks.message[i]});
  }
  if (!ranges.empty()) return ranges;
  const auto& calls = trace.python_calls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.module_id[i] == kNone && !module_of_frame(trace.strings.view(calls.name[i]))) {
      continue;
    }
    ranges.push_back({calls.tid[i], calls.start_ns[i], calls.end_ns[i], calls.name[i]});
  }
  return ranges;
}

// Ranges of each thread as a tree.
class ModuleTree {
 public:
  ModuleTree(const trace::Trace& trace, std::vector<std::string>& paths)
      : ranges_(recorded_ranges(trace)) {
    std::sort(ranges_.begin(), ranges_.end(), [](const PathRange& a, const PathRange& b) {
      return std::tuple(a.tid, a.start_ns, b.end_ns) < std::tuple(b.tid, b.start_ns, a.end_ns);
    });
    std::unordered_map<std::uint64_t, std::uint32_t> known;  // By parent's path and name.
    for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
      PathRange& range = ranges_[i];
      if (i > 0 && ranges_[i - 1].tid == range.tid) range.parent = around(i - 1, range);
      const std::uint32_t above = range.parent == kNone ? kNone : ranges_[range.parent].path;
      const std::uint64_t key = std::uint64_t{above} << 32 | to_index(range.name);
      const auto [found, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(paths.size()));
      if (is_new) {
        std::string path = above == kNone ? std::string() : paths[above] + '/';
        paths.push_back(path.append(plain_module_name(trace.strings.view(range.name))));
      }
      range.path = found->second;
    }
  }

  bool empty() const { return ranges_.empty(); }

  // The path of the innermost module of the thread at that time.
  std::uint32_t find(std::uint32_t tid, std::int64_t time_ns) const {
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), std::pair(tid, time_ns),
                                         [](const auto& at, const PathRange& range) {
                                           return at < std::pair(range.tid, range.start_ns);
                                         });
    if (behind == ranges_.begin() || (behind - 1)->tid != tid) return kNone;
    auto range = static_cast<std::uint32_t>(behind - ranges_.begin() - 1);
    while (range != kNone && ranges_[range].end_ns < time_ns) range = ranges_[range].parent;
    return range == kNone ? kNone : ranges_[range].path;
  }

 private:
  std::uint32_t around(std::uint32_t candidate, const PathRange& range) const {
    while (candidate != kNone && ranges_[candidate].end_ns < range.end_ns) {
      candidate = ranges_[candidate].parent;
    }
    return candidate;
  }

  std::vector<PathRange> ranges_;
};

// Paths of tasks by the operators that launched them, for what runs outside of modules.
class BackwardPaths {
 public:
  BackwardPaths(const trace::Trace& trace, TaskModules& modules)
      : trace_(trace),
        modules_(modules),
        of_op_(trace.framework_ops().size(), kNone),
        forward_of_(trace.framework_ops().size(), kNone) {
    const auto& pairs = trace.forward_backward();
    for (std::size_t i = 0; i < pairs.size(); ++i)
      forward_of_[pairs.backward[i]] = pairs.forward[i];
  }

  void add() {
    const auto& launched = trace_.kernel_ops();
    for (std::size_t i = 0; i < launched.size(); ++i) learn(launched.op[i], launched.task[i]);
    for (std::size_t i = 0; i < launched.size(); ++i) {
      std::uint32_t& path = modules_.of_task[launched.task[i]];
      if (path == kNone) path = backward_path(launched.op[i]);
    }
  }

 private:
  // Operators have the module of what they launched.
  void learn(std::uint32_t op, std::uint32_t task) {
    const std::uint32_t path = modules_.of_task[task];
    if (path == kNone) return;
    for (; op != kNone && of_op_[op] == kNone; op = trace_.framework_ops().parent[op]) {
      of_op_[op] = path;
    }
  }

  std::uint32_t backward_path(std::uint32_t op) {
    const auto& parents = trace_.framework_ops().parent;
    while (op != kNone && forward_of_[op] == kNone) op = parents[op];
    if (op == kNone) return kNone;
    std::uint32_t forward = forward_of_[op];
    while (forward != kNone && of_op_[forward] == kNone) forward = parents[forward];
    if (forward == kNone) return kNone;
    const std::uint32_t path = of_op_[forward];
    const auto [found, is_new] =
        backward_.try_emplace(path, static_cast<std::uint32_t>(modules_.paths.size()));
    if (is_new) modules_.paths.push_back(modules_.paths[path] + std::string(kBackwardSuffix));
    return found->second;
  }

  const trace::Trace& trace_;
  TaskModules& modules_;
  std::vector<std::uint32_t> of_op_;
  std::vector<std::uint32_t> forward_of_;
  std::unordered_map<std::uint32_t, std::uint32_t> backward_;
};

}  // namespace

TaskModules task_modules(const trace::Trace& trace) {
  TaskModules modules;
  const ModuleTree tree(trace, modules.paths);
  const auto& tasks = trace.tasks();
  modules.of_task.assign(tasks.size(), kNone);
  if (tree.empty()) return modules;
  // Ranges that go through the task queue lie on the thread that launches, others on that of the
  // operator.
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks.launch_ns[i] != 0) modules.of_task[i] = tree.find(tasks.tid[i], tasks.launch_ns[i]);
  }
  const auto& launched = trace.kernel_ops();
  const auto& ops = trace.framework_ops();
  const auto& marks = trace.flow_marks();
  const link::HandedWork handed(trace);
  for (std::size_t i = 0; i < launched.size(); ++i) {
    std::uint32_t& path = modules.of_task[launched.task[i]];
    const std::uint32_t op = launched.op[i];
    if (path == kNone) path = tree.find(ops.tid[op], ops.start_ns[op]);
    if (path != kNone) continue;
    handed.for_each_mark(op, [&](std::uint32_t mark) {
      path = tree.find(marks.tid[mark], marks.start_ns[mark]);
      return path != kNone;
    });
  }
  BackwardPaths(trace, modules).add();
  return modules;
}

}  // namespace npuprof::analyze
