#pragma once

#include <vector>

#include "analyze/step_time.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// step_times() by the rules of MindSpore. A step is the time of its range on the host. What starts
// in it counts to it; free time is cut at its ends. The bubble is what sends and receives take, the
// stage what lies between the first and the end of the last collective, without the bubble.
// Preparing is the time until the device first computes or communicates, perhaps in a later step.
// Without steps all is one row, of step 0.
std::vector<StepTime> mindspore_step_times(const trace::Trace& trace);

// Whether kernels and collectives are shown by steps. Graphs that are compiled as a whole (O2), and
// recordings without a schedule, have none.
bool shows_mindspore_steps(const trace::Trace& trace);

}  // namespace npuprof::analyze
