#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Values that the program recorded of something of its own, in file order.
struct ProgramCounters {
  NPUPROF_TABLE(ProgramCounters);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(double, value);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
