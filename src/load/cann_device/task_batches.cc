#include "load/cann_device/task_batches.h"

namespace npuprof::load {

// At the same tick the id tells: the highest ids come before the wrap, the lowest after it.
bool TaskBatches::is_before(const Row& row, const TaskFlip& flip) {
  if (row.time_ns != flip.time_ns) return row.time_ns < flip.time_ns;
  return row.task >= 0x8000 || flip.number == TaskFlip::kStreamDestroyed;
}

// Sorts `rows` by time; result[i] is the batch of rows[i].
std::vector<std::uint16_t> TaskBatches::number(std::vector<Row>& rows,
                                               std::span<const TaskFlip> flips) {
  const auto earlier = [](const Row& a, const Row& b) { return a.time_ns < b.time_ns; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
    std::stable_sort(rows.begin(), rows.end(), earlier);
  }
  std::vector<std::uint16_t> batches(rows.size());
  std::size_t next = 0;
  std::uint16_t batch = 0;
  for (const TaskFlip& flip : flips) {
    while (next < rows.size() && is_before(rows[next], flip)) batches[next++] = batch;
    ++batch;
    const bool wrapped =
        flip.task != 0 && flip.task != 0xFFFF && flip.number != TaskFlip::kStreamDestroyed;
    for (std::size_t i = next; wrapped && i > 0 && rows[i - 1].task < flip.task; --i) {
      batches[i - 1] = batch;
    }
  }
  while (next < rows.size()) batches[next++] = batch;
  return batches;
}

}  // namespace npuprof::load
