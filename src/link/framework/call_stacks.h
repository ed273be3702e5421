#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Sets framework_ops.stack of MindSpore's operators: the Python calls in which each was asked for.
// MindSpore records calls, but no stacks. Needs python_calls, flow_marks.from and .to, and the op
// tree.
void link_call_stacks(trace::Trace& trace);

}  // namespace npuprof::link
