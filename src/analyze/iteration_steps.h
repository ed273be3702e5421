#pragma once

#include "base/result.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Puts the iterations of a serving engine in the place of the steps of a linked trace, by their
// numbers, so that all that goes by steps goes by them. Steps that are iterations themselves get
// those numbers too. Fails if nothing in the profile tells iterations apart.
Status make_steps_of_iterations(trace::Trace& trace);

}  // namespace npuprof::analyze
