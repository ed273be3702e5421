#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// A part of a free interval in which nothing runs, or in which the device only copies.
struct IdleGap {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t interval = 0;         // Row in OverlapIntervals.
  std::uint32_t step = trace::kNone;  // Row in Steps.
  std::uint32_t copy = trace::kNone;  // Row in Tasks, if the device copies.
  std::uint16_t device = 0;
  bool is_trailing = false;  // Nothing computes or communicates behind it.
};

bool is_copy(const trace::Tasks& tasks, std::uint32_t task);

// By (device, time). Free intervals count to the step in which they begin, as in step_times();
// those outside of all steps are left out.
std::vector<IdleGap> find_idle_gaps(const trace::Trace& trace);

// First and one past the last row of Tasks that start at this time.
std::pair<std::uint32_t, std::uint32_t> tasks_starting_at(const trace::Tasks& tasks,
                                                          std::uint16_t device,
                                                          std::int64_t start_ns);

}  // namespace npuprof::analyze
