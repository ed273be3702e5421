#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// Where the time of one step on one device went, in ns.
struct StepTime {
  std::uint16_t device = 0;
  std::optional<std::int64_t>
      step;  // Nothing when the profile has no steps: one row for all of it.
  std::int64_t computing_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t not_overlapped_ns = 0;  // Communication while nothing computes.
  std::int64_t free_ns = 0;
  std::int64_t bubble_ns = 0;     // Waiting to receive from another pipeline stage.
  std::int64_t stage_ns = 0;      // First to last activity, without the bubble.
  std::int64_t preparing_ns = 0;  // From the begin of the step on the host to its first activity.

  std::int64_t overlapped_ns() const { return communication_ns - not_overlapped_ns; }
  std::int64_t exclude_receive_ns() const {
    return not_overlapped_ns > bubble_ns ? not_overlapped_ns - bubble_ns : 0;
  }
};

// Rows by (device, step). What lies outside all steps is left out.
//
// From the intervals of the overlap analysis, each of which belongs to the step in which it starts:
// free time behind the last activity of a step counts to that step. Steps of MindSpore are those of
// the host: free time counts to the steps it lies in, the stage is what collectives span.
std::vector<StepTime> step_times(const trace::Trace& trace);

// From the tasks that start in the step: free time is only what lies between them.
std::vector<StepTime> step_task_times(const trace::Trace& trace);

}  // namespace npuprof::analyze
