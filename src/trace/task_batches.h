#pragma once

// Task ids of 16 bits wrap. A batch is what lies between two wraps of a stream; both the host and
// the device tell of a wrap by a flip among the tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace npuprof::trace {

// A stream's task ids wrapped, or the stream was destroyed and its number may be used again.
struct BatchBegin {
  static constexpr std::uint16_t kStreamDestroyed = 0xFFFF;

  std::int64_t time_ns = 0;
  std::uint16_t stream = 0;
  std::uint16_t number = 0;
  std::uint16_t task = 0;  // Id of the flip itself.
};

struct TimedTask {
  std::int64_t time_ns = 0;
  std::uint32_t task = 0;
};

// The batches of the tasks of one stream: the number of flips before each. Tasks and flips are in
// order of time.
//
// Several threads may have taken ids after the wrap before the flip task got its own: tasks right
// before a flip with a smaller id than the flip's belong behind it.
std::vector<std::uint16_t> number_batches(std::span<const TimedTask> tasks,
                                          std::span<const BatchBegin> flips);

// The flips of all streams of a device.
class TaskBatches {
 public:
  TaskBatches() = default;
  explicit TaskBatches(std::vector<BatchBegin> flips);

  // The flips of a stream in order of time.
  std::span<const BatchBegin> flips_of(std::uint16_t stream) const {
    const auto found = flips_.find(stream);
    return found == flips_.end() ? std::span<const BatchBegin>() : found->second;
  }

  // Calls set_batch(row, batch) for each row of a table with the columns `streams`, `tasks` and
  // `times`, which need not be in order. Rows of streams without flips are left alone.
  template <typename SetBatch>
  void assign(std::span<const std::uint16_t> streams, std::span<const std::uint32_t> tasks,
              std::span<const std::int64_t> times, const SetBatch& set_batch) const {
    for (auto& [stream, rows] : rows_by_stream(streams)) {
      const std::vector<std::uint16_t> batches = number(rows, flips_of(stream), tasks, times);
      for (std::size_t i = 0; i < rows.size(); ++i) set_batch(rows[i], batches[i]);
    }
  }

  // Sets the batches of such a table.
  template <typename Table>
  void assign(Table& table, std::span<const std::int64_t> times) const {
    assign(table.stream, table.task, times,
           [&](std::uint32_t row, std::uint16_t batch) { table.batch[row] = batch; });
  }

 private:
  using StreamRows = std::map<std::uint16_t, std::vector<std::uint32_t>>;
  // Of streams with flips.
  StreamRows rows_by_stream(std::span<const std::uint16_t> streams) const;
  // Puts the rows of a stream in order of time; result[i] is the batch of rows[i].
  static std::vector<std::uint16_t> number(std::vector<std::uint32_t>& rows,
                                           std::span<const BatchBegin> flips,
                                           std::span<const std::uint32_t> tasks,
                                           std::span<const std::int64_t> times);

  std::map<std::uint16_t, std::vector<BatchBegin>> flips_;
};

}  // namespace npuprof::trace
