#pragma once

#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::link {

// Sets memory_events.owner of mallocs. Needs memory_events, the queue ranges with their operators
// and the op tree.
//
// Memory asked for while a task was dequeued belongs to the nearest `aten` or `npu` operator around
// the enqueue of that task; other memory to the innermost operator of its thread at that time. The
// allocator's own scopes (`empty_tensor`, `malloc_workspace`) never count as owner.
void link_memory_owners(trace::Trace& trace, const ThreadOrder& op_rows);

// Groups the events of NPU memory from the framework's own allocator into blocks (allocations):
// each malloc with the first free and the first block free, in either order, that follow it at the
// same address before the next malloc. Needs memory_events.
void link_allocations(trace::Trace& trace);

}  // namespace npuprof::link
