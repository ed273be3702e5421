#include "link/device/replays.h"

#include <algorithm>
#include <unordered_map>

#include "format/host/levels.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using trace::kNone;

class ReplayJoin {
 public:
  explicit ReplayJoin(trace::Trace& trace) : trace_(trace), tasks_(trace.tasks()) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> changed;
    std::uint16_t device = 0;
    for (std::uint32_t row = 0; row < tasks_.size(); ++row) {
      if (tasks_.device[row] != device) {
        device = tasks_.device[row];
        executions_.clear();
      }
      if (is_execution(tasks_.host_type[row])) {
        if (asked_ns(row) != kUnknownTime) executions_[tasks_.model_id[row]] = row;
      } else if (tasks_.model_id[row] != kNone && !executions_.empty()) {
        const std::uint32_t execution = execution_of(tasks_.model_id[row]);
        if (execution == kNone || asked_ns(execution) <= asked_ns(row)) continue;
        tasks_.api[row] = tasks_.api[execution];
        tasks_.launch_ns[row] = tasks_.launch_ns[execution];
        tasks_.tid[row] = tasks_.tid[execution];
        changed.push_back(row);
      }
    }
    if (!changed.empty()) follow_with_collectives(changed);
    return changed;
  }

 private:
  static constexpr std::int64_t kUnknownTime = INT64_MIN;

  static bool is_execution(std::uint16_t host_type) {
    return host_type == static_cast<std::uint16_t>(format::host::TaskType::kModelExecute);
  }

  // Results know only the call.
  std::int64_t asked_ns(std::uint32_t row) const {
    if (tasks_.launch_ns[row] != 0) return tasks_.launch_ns[row];
    const auto api = tasks_.api[row];
    return api == kNone ? kUnknownTime : trace_.api_calls().start_ns[api];
  }

  std::uint32_t execution_of(std::uint32_t model) const {
    auto found = executions_.find(model);
    if (found == executions_.end()) found = executions_.find(kNone);
    return found == executions_.end() ? kNone : found->second;
  }

  void follow_with_collectives(const std::vector<std::uint32_t>& changed) {
    const trace::CollectiveTasks& parts = trace_.collective_tasks();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const auto task = parts.task[part];
      if (!std::binary_search(changed.begin(), changed.end(), task)) continue;
      trace_.collective_ops().api[parts.op[part]] = tasks_.api[task];
      trace_.collective_ops().tid[parts.op[part]] = tasks_.tid[task];
    }
  }

  trace::Trace& trace_;
  trace::Tasks& tasks_;
  // The last execution of each model so far on the device: rows of Tasks.
  std::unordered_map<std::uint32_t, std::uint32_t> executions_;
};

}  // namespace

std::vector<std::uint32_t> link_replays(trace::Trace& trace) { return ReplayJoin(trace).run(); }

}  // namespace npuprof::link
