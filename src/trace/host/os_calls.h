#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// System and pthread calls of the host process.
struct OsCalls {
  NPUPROF_TABLE(OsCalls);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
