#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "trace/row.h"

namespace npuprof::trace {

// Which task of a device. Host, device and AI CPU write it in records of their own; whatever joins
// these goes by it.
struct TaskId {
  std::uint16_t stream = 0;
  std::uint16_t batch = 0;  // How often the stream's ids have wrapped; see number_batches().
  std::uint32_t task = 0;
  std::uint32_t context = kNone;  // A part of an FFTS+ task; kNone = the whole.

  auto operator<=>(const TaskId&) const = default;

  // The parts as one number that sorts by stream, batch, task and context, "the whole" last. Ids of
  // 16 bits wrap; those of 32 bits (chips 15, 16) never do, so batch and task share 32 bits.
  // Contexts have 16 bits on every chip.
  constexpr std::uint64_t key() const {
    return std::uint64_t{stream} << 48 | std::uint64_t{(std::uint32_t{batch} << 16) ^ task} << 16 |
           std::min<std::uint32_t>(context, kWhole);
  }
  // Of a key: equal for all contexts of a task.
  static constexpr std::uint64_t task_part(std::uint64_t key) { return key >> 16; }
  static constexpr bool has_context(std::uint64_t key) { return (key & kWhole) != kWhole; }
  static constexpr std::uint16_t context_part(std::uint64_t key) {
    return static_cast<std::uint16_t>(key);
  }

 private:
  static constexpr std::uint32_t kWhole = 0xFFFF;
};

// The id in a row of a table that has all its parts.
template <typename Table>
constexpr TaskId task_id(const Table& table, std::size_t row) {
  return {table.stream[row], table.batch[row], table.task[row], table.context[row]};
}

// A task among those of all devices, as a key of hash tables.
struct DeviceTask {
  std::uint16_t device = 0;
  std::uint64_t key = 0;  // TaskId::key(), or its part.

  auto operator<=>(const DeviceTask&) const = default;
  struct Hash {
    std::size_t operator()(const DeviceTask& task) const {
      return (task.key ^ std::uint64_t{task.device} << 32) * 0x9E3779B97F4A7C15;
    }
  };
};

// Streams are numbered by device.
struct StreamId {
  std::uint16_t device = 0;
  std::uint16_t stream = 0;

  constexpr std::uint32_t key() const { return std::uint32_t{device} << 16 | stream; }
};

}  // namespace npuprof::trace
