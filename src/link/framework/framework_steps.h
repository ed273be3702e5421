#pragma once

#include <vector>

#include "link/framework/task_origins.h"
#include "trace/trace.h"

namespace npuprof::link {

// Fills steps from the operators named `ProfilerStep#<id>`, in order of their start. Needs the op
// tree, tasks and their origins. Steps that a result file gave are kept if no operator is named so;
// only their device times are set.
//
// A device task belongs to the step during which the framework asked for it, on whatever thread.
// The step's device time begins with the first of its tasks; it ends with the last of them or with
// the host's step, whichever is later. Without tasks both are the host's times.
void link_steps(trace::Trace& trace, const std::vector<TaskOrigin>& origins);

}  // namespace npuprof::link
