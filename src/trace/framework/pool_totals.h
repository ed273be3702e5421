#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// What MindSpore's memory pool held, as it told itself; MemoryEvents have it too where single
// blocks were recorded.
struct PoolTotals {
  NPUPROF_TABLE(PoolTotals);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::int64_t, allocated_bytes);
  NPUPROF_COLUMN(std::int64_t, reserved_bytes);
  NPUPROF_COLUMN(std::int64_t, active_bytes);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
