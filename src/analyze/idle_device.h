#pragma once

// What the device waited for although a task had been launched.

#include <cstdint>
#include <vector>

#include "analyze/idle_causes.h"
#include "trace/trace.h"

namespace npuprof::analyze {

class IdleDevice {
 public:
  explicit IdleDevice(const trace::Trace& trace);

  // Whether the task is work (a kernel, a copy, part of a collective) and no mark, event or wait.
  bool is_work(std::uint32_t task) const;
  // Row in CollectiveOps, kNone = the task is no part of one.
  std::uint32_t collective_of(std::uint32_t task) const { return collective_of_[task]; }

  // Appends the causes from row.start_ns to row.end_ns, in order of time; `row` says what they have
  // in common. Its task is the one that was launched before.
  void add_causes(const IdleRow& row, std::vector<IdleRow>& rows);

 private:
  bool is_wait(std::uint32_t task);
  IdleRow wait_row(const IdleRow& row, std::uint32_t wait) const;
  std::uint32_t waited_for(std::uint32_t wait) const;

  const trace::Trace& trace_;
  std::vector<std::uint32_t> previous_;  // On the same stream, by row of Tasks.
  std::vector<std::uint32_t> collective_of_;
  std::vector<std::uint8_t> waits_by_type_;  // By string id: 0 = not looked at, 1 = no, 2 = yes.
  std::vector<IdleRow> backwards_;           // Kept to save allocations.
};

}  // namespace npuprof::analyze
