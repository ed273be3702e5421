#include "trace/task_batches.h"

namespace npuprof::trace {
namespace {

// At the same tick the id tells: the highest ids come before the wrap, the lowest after it.
bool is_before(const TimedTask& task, const BatchBegin& flip) {
  if (task.time_ns != flip.time_ns) return task.time_ns < flip.time_ns;
  return task.task >= 0x8000 || flip.number == BatchBegin::kStreamDestroyed;
}

}  // namespace

std::vector<std::uint16_t> number_batches(std::span<const TimedTask> tasks,
                                          std::span<const BatchBegin> flips) {
  std::vector<std::uint16_t> batches(tasks.size());
  std::size_t next = 0;
  std::uint16_t batch = 0;
  for (const BatchBegin& flip : flips) {
    while (next < tasks.size() && is_before(tasks[next], flip)) batches[next++] = batch;
    ++batch;
    const bool wrapped =
        flip.task != 0 && flip.task != 0xFFFF && flip.number != BatchBegin::kStreamDestroyed;
    for (std::size_t i = next; wrapped && i > 0 && tasks[i - 1].task < flip.task; --i) {
      batches[i - 1] = batch;
    }
  }
  while (next < tasks.size()) batches[next++] = batch;
  return batches;
}

TaskBatches::TaskBatches(std::vector<BatchBegin> flips) {
  std::stable_sort(flips.begin(), flips.end(),
                   [](const BatchBegin& a, const BatchBegin& b) { return a.time_ns < b.time_ns; });
  for (const BatchBegin& flip : flips) flips_[flip.stream].push_back(flip);
}

TaskBatches::StreamRows TaskBatches::rows_by_stream(std::span<const std::uint16_t> streams) const {
  StreamRows rows_of;
  for (const auto& [stream, flips] : flips_) rows_of[stream];
  if (rows_of.empty()) return rows_of;
  for (std::uint32_t row = 0; row < streams.size(); ++row) {
    const auto found = rows_of.find(streams[row]);
    if (found != rows_of.end()) found->second.push_back(row);
  }
  return rows_of;
}

std::vector<std::uint16_t> TaskBatches::number(std::vector<std::uint32_t>& rows,
                                               std::span<const BatchBegin> flips,
                                               std::span<const std::uint32_t> tasks,
                                               std::span<const std::int64_t> times) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return times[a] < times[b]; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
    std::stable_sort(rows.begin(), rows.end(), earlier);
  }
  std::vector<TimedTask> timed;
  timed.reserve(rows.size());
  for (const std::uint32_t row : rows) timed.push_back({times[row], tasks[row]});
  return number_batches(timed, flips);
}

}  // namespace npuprof::trace
