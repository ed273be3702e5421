#include "analyze/graph_first_tasks.h"

#include <algorithm>
#include <tuple>

#include "trace/host/api_calls.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

}  // namespace

GraphFirstTasks::GraphFirstTasks(const trace::Trace& trace) {
  const trace::Tasks& tasks = trace.tasks();
  const trace::ApiCalls& calls = trace.api_calls();
  launched_.reserve(tasks.size());
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    const auto api = tasks.api[row];
    const bool does_work = tasks.kernel[row] != kNone || tasks.copy_bytes[row] != 0;
    if (tasks.model_id[row] != kNone && does_work) {
      model_starts_ns_.push_back(tasks.start_ns[row]);
    }
    // A row of a table that was cut may point behind its end.
    const bool has_call = api != kNone && api < calls.size();
    const std::int64_t launch_ns = has_call ? calls.start_ns[api] : tasks.launch_ns[row];
    if (launch_ns == 0) continue;
    launched_.push_back({.tid = has_call ? calls.tid[api] : tasks.tid[row],
                         .does_work = does_work,
                         .launch_ns = launch_ns,
                         .start_ns = tasks.start_ns[row]});
  }
  std::sort(launched_.begin(), launched_.end(), [](const Launched& a, const Launched& b) {
    return std::tie(a.tid, a.launch_ns, a.start_ns) < std::tie(b.tid, b.launch_ns, b.start_ns);
  });
  std::sort(model_starts_ns_.begin(), model_starts_ns_.end());
}

std::optional<GraphFirstTasks::Found> GraphFirstTasks::find(std::uint32_t tid,
                                                            std::int64_t begin_ns,
                                                            std::int64_t end_ns) const {
  auto place = std::lower_bound(launched_.begin(), launched_.end(), std::tie(tid, begin_ns),
                                [](const Launched& task, const auto& key) {
                                  return std::tie(task.tid, task.launch_ns) < key;
                                });
  std::optional<std::int64_t> working;
  std::optional<std::int64_t> any;
  for (; place != launched_.end() && place->tid == tid && place->launch_ns <= end_ns; ++place) {
    if (!any || place->start_ns < *any) any = place->start_ns;
    if (place->does_work && (!working || place->start_ns < *working)) working = place->start_ns;
  }
  if (working) return Found{.start_ns = *working};
  if (any) return Found{.start_ns = *any};
  const auto next = std::lower_bound(model_starts_ns_.begin(), model_starts_ns_.end(), begin_ns);
  if (next == model_starts_ns_.end()) return std::nullopt;
  return Found{.start_ns = *next, .is_guess = true};
}

}  // namespace npuprof::analyze
