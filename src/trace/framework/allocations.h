#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct MemoryEvents;

// Lifetimes of NPU memory blocks that the framework's own allocator handed out, set by link, in
// order of allocation. Columns are rows in MemoryEvents; the malloc's `owner` is who asked for it.
struct Allocations {
  NPUPROF_TABLE(Allocations);
  NPUPROF_COLUMN(PartOf<MemoryEvents>, malloc_event);
  NPUPROF_COLUMN(RowOf<MemoryEvents>, free_event);  // Given back by the user; kNone = not seen.
  // Unused by all streams; kNone = not seen.
  NPUPROF_COLUMN(RowOf<MemoryEvents>, block_free_event);
  // Who asked for it, where that is told by name (MindSpore's pool does; results without a timeline
  // too); else empty.
  NPUPROF_COLUMN(Text, owner_name);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
