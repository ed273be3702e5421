#include "analyze/block_details.h"

#include <algorithm>
#include <unordered_map>

#include "trace/device/block_intervals.h"
#include "trace/device/pmu_counters.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;
using trace::Trace;

// The runs of tasks that have blocks: a graph runs its tasks again. Tasks come in order of start,
// and so do the runs of each.
class TaskRuns {
 public:
  TaskRuns(const Trace& trace, std::uint16_t device) : tasks_(trace.tasks()) {
    const auto& blocks = trace.block_intervals();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks.device[i] == device) runs_.try_emplace(blocks.task[i]);
    }
    if (runs_.empty()) return;
    for (std::uint32_t row = 0; row < tasks_.size(); ++row) {
      if (tasks_.device[row] != device || tasks_.context[row] != kNone) continue;
      const auto found = runs_.find(tasks_.task[row]);
      if (found != runs_.end()) found->second.push_back(row);
    }
  }

  // The run that a block is part of: the last that had begun when the block ended, unless it was
  // over before the block began.
  std::uint32_t find(std::uint32_t task, std::int64_t start_ns, std::int64_t end_ns) const {
    const std::vector<std::uint32_t>& rows = runs_.at(task);
    const auto next = std::upper_bound(
        rows.begin(), rows.end(), end_ns,
        [&](std::int64_t time, std::uint32_t row) { return time < tasks_.start_ns[row]; });
    if (next == rows.begin()) return kNone;
    return tasks_.end_ns[*std::prev(next)] >= start_ns ? *std::prev(next) : kNone;
  }

 private:
  const trace::Tasks& tasks_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> runs_;  // Rows by task.
};

}  // namespace

std::vector<BlockExtremes> block_extremes(const Trace& trace, std::uint16_t device) {
  const auto& blocks = trace.block_intervals();
  const TaskRuns runs(trace, device);
  std::vector<BlockExtremes> result;
  std::unordered_map<std::uint32_t, std::size_t> place_of_task;
  for (std::uint32_t row = 0; row < blocks.size(); ++row) {
    if (blocks.device[row] != device || blocks.start_ns[row] < trace.session.begin_ns) continue;
    const std::uint32_t task =
        runs.find(blocks.task[row], blocks.start_ns[row], blocks.end_ns[row]);
    if (task == kNone) continue;
    const auto [place, is_new] = place_of_task.try_emplace(task, result.size());
    if (is_new) result.push_back({task, {kNone, kNone, kNone, kNone}});
    BlockExtremes& extremes = result[place->second];
    const bool on_vector = blocks.core[row] == static_cast<std::uint8_t>(trace::PmuCore::kAiv);
    std::uint32_t& earliest = extremes.blocks[on_vector ? 2 : 0];
    std::uint32_t& latest = extremes.blocks[on_vector ? 3 : 1];
    if (earliest == kNone || blocks.start_ns[row] < blocks.start_ns[earliest]) earliest = row;
    if (latest == kNone || blocks.start_ns[row] >= blocks.start_ns[latest]) latest = row;
  }
  std::sort(result.begin(), result.end(),
            [](const BlockExtremes& a, const BlockExtremes& b) { return a.task < b.task; });
  return result;
}

}  // namespace npuprof::analyze
