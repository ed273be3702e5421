#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::link {

// The tasks of a graph are launched once, when it is loaded or captured, and run whenever it is
// executed. Gives each such run the call, thread and host time of its execution in place of those
// of the load, and the collectives among them that call too; Tasks::launch still tells what runs.
// Returns the rows of Tasks that were changed, in order.
//
// A run belongs to the last execution (MODEL_EXECUTE) of its model that started on its device, if
// that was asked for after the task itself was launched: kernels that are launched during the
// execution (dynamic shapes) keep their launch. Executions of which the model is not known, as
// databases have them of captured graphs, count for any model that has no others.
std::vector<std::uint32_t> link_replays(trace::Trace& trace);

}  // namespace npuprof::link
