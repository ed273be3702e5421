#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Fills Iterations, IterationRanges and DeviceSteps from the step marks of all devices.
//
// Models may be pipelined: an iteration can begin before the one in front of it has ended, so the
// marks of a model are first put into the order of the iterations they belong to. An iteration
// lasts from the model's start, or the end of the iteration before it, to its own end mark or the
// model's end. What was still open when recording stopped is left out.
void link_step_trace(trace::Trace& trace);

}  // namespace npuprof::link
