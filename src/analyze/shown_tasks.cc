#include "analyze/shown_tasks.h"

#include <unordered_set>

#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::analyze {
namespace {

// The same for all contexts of a task.
trace::DeviceTask key_of(const trace::Tasks& tasks, std::size_t i) {
  return {tasks.device[i], trace::TaskId::task_part(task_id(tasks, i).key())};
}

template <typename Keep>
std::vector<std::uint32_t> select(const trace::Trace& trace, Keep keep_context) {
  const auto& tasks = trace.tasks();
  std::unordered_set<trace::DeviceTask, trace::DeviceTask::Hash> split;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks.context[i] != trace::kNone) split.insert(key_of(tasks, i));
  }
  std::vector<std::uint32_t> shown;
  shown.reserve(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const bool is_context = tasks.context[i] != trace::kNone;
    const bool keep = is_context ? keep_context(tasks.context[i])
                                 : split.empty() || !split.contains(key_of(tasks, i));
    if (keep) shown.push_back(i);
  }
  return shown;
}

}  // namespace

std::vector<std::uint32_t> shown_tasks(const trace::Trace& trace) {
  return select(trace, [](std::uint32_t) { return true; });
}

std::vector<std::uint32_t> tasks_of_task_time(const trace::Trace& trace) {
  return select(trace, [](std::uint32_t context) { return context == 0; });
}

}  // namespace npuprof::analyze
