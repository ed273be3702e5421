#pragma once

#include <cstdint>
#include <span>

#include "analyze/chosen_times.h"
#include "base/result.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Leaves in a linked trace what a profile of the chosen steps alone would hold:
//  - of the host what began during a step; of the task queue's other end what was enqueued then,
//    and the calls made for it;
//  - of the device what the step tables count to a step: what began in its range on the device;
//    the parts of a collective go with it;
//  - joins of which both ends are left, otherwise the end that is left stands alone;
//  - samples from the begin of the first step to the end of the last.
// Fails if the profile has none of the steps.
Status keep_steps(trace::Trace& trace, std::span<const StepRange> ranges);
// That, of a trace that stays as it is.
trace::Trace copy_of_steps(const trace::Trace& trace, const ChosenTimes& chosen);

// Times of wall clocks.
struct TimeRange {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // Not included.

  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// The same for a range of time: what began in it, on the host and on the device. Computing,
// communication and free time are cut at its ends, so that they add up to it. No steps are left:
// all of it is one.
Status keep_range(trace::Trace& trace, TimeRange range);

// Iterations of a graph model. Model 4294967295 stands for the steps that a framework marks on the
// device.
struct GraphIterations {
  std::uint64_t model_id = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 1;

  bool has(std::uint64_t index) const { return index >= first && index - first < count; }
};

// The same for iterations, by their time on the device. Fails if the profile has none of them.
Status keep_iterations(trace::Trace& trace, const GraphIterations& wanted);

}  // namespace npuprof::analyze
