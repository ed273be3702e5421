#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "load/cann_device/device_clock.h"
#include "trace/device/device_tasks.h"

namespace npuprof::load {

// The start or the end of a task or of one context of it.
struct TaskEvent {
  std::uint64_t syscnt = 0;
  std::uint32_t task = 0;
  std::uint32_t context = trace::kNone;
  std::uint16_t stream = 0;
  std::uint16_t thread = 0;
  std::uint8_t type = 0;
  bool is_end = false;
};

// Pairs starts with ends and appends the intervals to DeviceTasks in order of start. Events must
// come in order of time; equal times in the order of the file.
//
// An end closes the latest start of the same task: if a second start comes first, the end between
// them was lost and the earlier start is dropped. An end without a start is dropped.
class TaskPairing {
 public:
  TaskPairing(const DeviceClock& clock, std::uint16_t device, trace::DeviceTasks& tasks)
      : clock_(clock), device_(device), tasks_(tasks) {}

  void add(const TaskEvent& event);

  // Drops what is still open.
  void finish();

  // Events without a partner although their stream was recorded before and after them: records were
  // lost. What ran when collecting began or ended is not counted.
  std::uint64_t lost_partners() const { return lost_partners_; }

 private:
  static std::uint64_t key_of(const TaskEvent& event);
  void append(const TaskEvent& event);

  const DeviceClock& clock_;
  std::uint16_t device_;
  trace::DeviceTasks& tasks_;
  std::unordered_map<std::uint64_t, std::uint32_t> pending_;  // Rows that wait for their end.
  std::vector<std::uint32_t> last_start_;  // Row of each stream's latest start; kNone = none yet.
  std::vector<std::uint32_t> dropped_;     // Rows without an end.
  std::uint64_t lost_partners_ = 0;
};

}  // namespace npuprof::load
