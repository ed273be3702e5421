#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Step numbers, both ends included.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Leaves in a linked trace what a profile of the chosen steps alone would hold:
//  - of the host what began during a step; of the task queue's other end what was enqueued then,
//    and the calls made for it;
//  - of the device what the step tables count to a step: what began in its range on the device;
//    the parts of a collective go with it;
//  - joins of which both ends are left, otherwise the end that is left stands alone;
//  - samples from the begin of the first step to the end of the last.
// Fails if the profile has none of the steps.
Status keep_steps(trace::Trace& trace, std::span<const StepRange> ranges);

// The same for one iteration of a graph model, by its time on the device. Model 4294967295 stands
// for the steps that a framework marks on the device.
Status keep_iteration(trace::Trace& trace, std::uint64_t model_id, std::uint64_t index);

}  // namespace npuprof::analyze
