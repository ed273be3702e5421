#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Pairs the marks of the task queue into enqueues and dequeues, both in order of their end, and
// joins the two by correlation (`partner`). Needs queue_marks. `op` stays kNone: see op_tree.h.
//
// An end belongs to the last start before it on the same thread. An enqueue gets its number only
// when it ends, so its marks are matched by name; both marks of a dequeue carry the number. A start
// or end whose other mark was lost is dropped.
void link_queue(trace::Trace& trace);

// Sets the partners of enqueues and dequeues, by correlation.
void join_queues(trace::Trace& trace);

}  // namespace npuprof::link
