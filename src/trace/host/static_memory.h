#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Planned memory of static graphs.
struct StaticMemory {
  NPUPROF_TABLE(StaticMemory);
  NPUPROF_COLUMN(std::int64_t, size_bytes);
  NPUPROF_COLUMN(Text, op_name);  // Empty = TOTAL.
  NPUPROF_COLUMN(std::uint64_t, life_start);
  NPUPROF_COLUMN(std::uint64_t, life_end);
  NPUPROF_COLUMN(std::uint64_t, total_bytes);
  NPUPROF_COLUMN(Text, dynamic_root);
  NPUPROF_COLUMN(std::uint32_t, graph_id);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
