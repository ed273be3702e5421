#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// Allocator events.
struct MemoryEvents {
  NPUPROF_TABLE(MemoryEvents);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint64_t, address);
  NPUPROF_COLUMN(std::int64_t, size_bytes);  // Negative when memory is returned.
  NPUPROF_COLUMN(std::int64_t, total_allocated_bytes);
  NPUPROF_COLUMN(std::int64_t, total_reserved_bytes);
  NPUPROF_COLUMN(std::int64_t, total_active_bytes);
  NPUPROF_COLUMN(std::int64_t, stream);
  NPUPROF_COLUMN(std::uint8_t, device_type);  // 0 CPU, 20 NPU.
  NPUPROF_COLUMN(std::int8_t, device_index);
  NPUPROF_COLUMN(std::uint8_t, component);  // 0 caching allocator, 1 workspace.
  NPUPROF_COLUMN(std::uint8_t, kind);       // 0 malloc, 1 free, 2 block free.
  NPUPROF_COLUMN(std::uint8_t, allocator);  // 0 inner, 1 external.
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  // Operator that asked for it, set by link for mallocs; kNone = unknown.
  NPUPROF_COLUMN(RowOf<FrameworkOps>, owner);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
