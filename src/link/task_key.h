#pragma once

// The identity of a task on a device as one number, so that tables can be sorted and merged by it.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trace/table.h"

namespace npuprof::link {

// Packs (stream, batch, task, context) in that order of significance. Contexts have 16 bits on
// every chip, "none" sorts last. Task ids have 16 bits, except on chips 15 and 16, whose ids of 32
// bits never repeat and so need no batch.
class TaskKeyPacking {
 public:
  explicit TaskKeyPacking(bool wide_tasks) : wide_tasks_(wide_tasks) {}

  // Wide if any of the task ids needs it.
  static TaskKeyPacking for_tasks(std::span<const std::uint32_t> first,
                                  std::span<const std::uint32_t> second) {
    const auto is_wide = [](std::uint32_t task) { return task > 0xFFFF; };
    return TaskKeyPacking(std::any_of(first.begin(), first.end(), is_wide) ||
                          std::any_of(second.begin(), second.end(), is_wide));
  }

  std::uint64_t pack(std::uint16_t stream, std::uint16_t batch, std::uint32_t task,
                     std::uint32_t context) const {
    const std::uint64_t middle = wide_tasks_ ? task : std::uint64_t{batch} << 16 | (task & 0xFFFF);
    return std::uint64_t{stream} << 48 | middle << 16 | std::min<std::uint32_t>(context, 0xFFFF);
  }

  // Equal for all contexts of a task.
  static constexpr std::uint64_t task_part(std::uint64_t key) { return key >> 16; }
  static constexpr bool has_context(std::uint64_t key) { return (key & 0xFFFF) != 0xFFFF; }
  static constexpr std::uint16_t context_part(std::uint64_t key) {
    return static_cast<std::uint16_t>(key);
  }

 private:
  bool wide_tasks_;
};

// The rows [first, second) of `device` in a column sorted by device.
inline std::pair<std::uint32_t, std::uint32_t> device_rows(std::span<const std::uint16_t> column,
                                                           std::uint16_t device) {
  const auto [first, last] = std::equal_range(column.begin(), column.end(), device);
  return {static_cast<std::uint32_t>(first - column.begin()),
          static_cast<std::uint32_t>(last - column.begin())};
}

// Each device number of a sorted column once.
inline std::vector<std::uint16_t> distinct_devices(std::span<const std::uint16_t> column) {
  std::vector<std::uint16_t> devices(column.begin(), column.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

}  // namespace npuprof::link
