#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Python garbage collections.
struct GarbageCollections {
  NPUPROF_TABLE(GarbageCollections);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
