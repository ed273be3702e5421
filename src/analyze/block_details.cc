#include "analyze/block_details.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace npuprof::analyze {
namespace {

using trace::kNone;
using trace::Trace;

std::uint64_t key_of(std::uint16_t device, std::uint32_t task) {
  return std::uint64_t{device} << 32 | task;
}

// Runs of the tasks that have blocks, by (device, task) and start: a graph runs its tasks again.
struct Run {
  std::uint64_t key;
  std::int64_t start_ns;
  std::uint32_t row;
};

std::vector<Run> runs_with_blocks(const Trace& trace) {
  const auto& blocks = trace.block_intervals;
  std::unordered_set<std::uint64_t> keys;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    keys.insert(key_of(blocks.device[i], blocks.task[i]));
  }
  std::vector<Run> runs;
  const auto& tasks = trace.tasks;
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    const std::uint64_t key = key_of(tasks.device[row], tasks.task[row]);
    if (tasks.context[row] == kNone && keys.contains(key)) {
      runs.push_back({key, tasks.start_ns[row], row});
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tuple(a.key, a.start_ns, a.row) < std::tuple(b.key, b.start_ns, b.row);
  });
  return runs;
}

// The run that the block is part of: the last that had begun when the block ended, unless it was
// over before the block began.
std::uint32_t task_of_block(const Trace& trace, const std::vector<Run>& runs, std::uint32_t block) {
  const auto& blocks = trace.block_intervals;
  const std::tuple wanted(key_of(blocks.device[block], blocks.task[block]), blocks.end_ns[block]);
  const auto next = std::upper_bound(
      runs.begin(), runs.end(), wanted,
      [](const auto& time, const Run& run) { return time < std::tuple(run.key, run.start_ns); });
  if (next == runs.begin()) return kNone;
  const Run& run = *std::prev(next);
  const bool is_part =
      run.key == std::get<0>(wanted) && trace.tasks.end_ns[run.row] >= blocks.start_ns[block];
  return is_part ? run.row : kNone;
}

}  // namespace

std::vector<BlockExtremes> block_extremes(const Trace& trace) {
  const auto& blocks = trace.block_intervals;
  const std::vector<Run> runs = runs_with_blocks(trace);
  std::map<std::uint32_t, BlockExtremes> by_task;
  for (std::uint32_t row = 0; row < blocks.size(); ++row) {
    if (blocks.start_ns[row] < trace.session.begin_ns) continue;
    const std::uint32_t task = task_of_block(trace, runs, row);
    if (task == kNone) continue;
    const auto [place, is_new] = by_task.try_emplace(task);
    BlockExtremes& extremes = place->second;
    if (is_new) {
      extremes.task = task;
      extremes.blocks.fill(kNone);
    }
    const bool on_vector = blocks.core[row] == static_cast<std::uint8_t>(trace::PmuCore::kAiv);
    std::uint32_t& earliest = extremes.blocks[on_vector ? 2 : 0];
    std::uint32_t& latest = extremes.blocks[on_vector ? 3 : 1];
    if (earliest == kNone || blocks.start_ns[row] < blocks.start_ns[earliest]) earliest = row;
    if (latest == kNone || blocks.start_ns[row] >= blocks.start_ns[latest]) latest = row;
  }
  std::vector<BlockExtremes> result;
  result.reserve(by_task.size());
  for (const auto& [task, extremes] : by_task) result.push_back(extremes);
  return result;
}

}  // namespace npuprof::analyze
