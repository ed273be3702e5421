#pragma once

// Joins that only records of MindSpore need. They do nothing where there are none.

#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::link {

// Sets flow_marks.from and flow_marks.to. Needs the op tree. A flow joins one mark and one
// operator. Where several of each have one number, those are joined of which the order of work on
// the thread says that they belong together.
void link_flows(trace::Trace& trace, const ThreadOrder& op_rows);

// Sets launch_shapes.op, and the inputs of these operators: the n-th record of a name is of the
// n-th launch of that name. Names with another number of launches than records are left alone.
void link_launch_shapes(trace::Trace& trace);

// Sets allocations.owner_name to what the pool said of the block. Needs allocations.
void link_memory_labels(trace::Trace& trace);

}  // namespace npuprof::link
