#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace npuprof::load {

// A stream's 16-bit task ids wrapped, or the stream was destroyed and its number may be used again.
struct TaskFlip {
  static constexpr std::uint16_t kStreamDestroyed = 0xFFFF;

  std::int64_t time_ns = 0;
  std::uint16_t stream = 0;
  std::uint16_t number = 0;
  std::uint16_t task = 0;  // Id of the flip itself.
};

// Gives each row its batch: the number of flips of its stream before it. Rows need not be sorted.
// stream_of(row), task_of(row), time_of(row) read a table; set_batch(row, batch) writes it. Rows of
// streams without flips are left alone.
//
// Several threads may have taken ids after the wrap before the flip task got its own: tasks right
// before a flip with a smaller id than the flip's belong behind it.
class TaskBatches {
 public:
  explicit TaskBatches(std::vector<TaskFlip> flips) {
    std::stable_sort(flips.begin(), flips.end(),
                     [](const TaskFlip& a, const TaskFlip& b) { return a.time_ns < b.time_ns; });
    for (const TaskFlip& flip : flips) flips_[flip.stream].push_back(flip);
  }
  TaskBatches() = default;

  bool empty() const { return flips_.empty(); }

  // The flips of a stream in order of time.
  std::span<const TaskFlip> flips_of(std::uint16_t stream) const {
    const auto found = flips_.find(stream);
    return found == flips_.end() ? std::span<const TaskFlip>() : found->second;
  }

  template <typename StreamOf, typename TaskOf, typename TimeOf, typename SetBatch>
  void assign(std::size_t rows, StreamOf&& stream_of, TaskOf&& task_of, TimeOf&& time_of,
              SetBatch&& set_batch) const {
    if (flips_.empty()) return;
    std::map<std::uint16_t, std::vector<Row>> by_stream;
    for (const auto& [stream, flips] : flips_) by_stream[stream];
    for (std::uint32_t row = 0; row < rows; ++row) {
      const auto found = by_stream.find(stream_of(row));
      if (found != by_stream.end()) found->second.push_back({time_of(row), row, task_of(row)});
    }
    for (auto& [stream, list] : by_stream) {
      const std::vector<std::uint16_t> batches = number(list, flips_.at(stream));
      for (std::size_t i = 0; i < list.size(); ++i) set_batch(list[i].row, batches[i]);
    }
  }

 private:
  struct Row {
    std::int64_t time_ns;
    std::uint32_t row;
    std::uint32_t task;
  };

  static bool is_before(const Row& row, const TaskFlip& flip);
  static std::vector<std::uint16_t> number(std::vector<Row>& rows, std::span<const TaskFlip> flips);

  std::map<std::uint16_t, std::vector<TaskFlip>> flips_;
};

}  // namespace npuprof::load
