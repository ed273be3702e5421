#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Memory asked for by CANN operators (GE pool).
struct OperatorMemory {
  NPUPROF_TABLE(OperatorMemory);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint64_t, address);
  NPUPROF_COLUMN(std::int64_t, size_bytes);  // Negative = release.
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(std::uint64_t, total_allocated_bytes);
  NPUPROF_COLUMN(std::uint64_t, total_reserved_bytes);
  NPUPROF_COLUMN(std::uint32_t, device);
  NPUPROF_COLUMN(std::uint32_t, device_type);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
