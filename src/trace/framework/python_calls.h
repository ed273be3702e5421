#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Python frames, in closing order per thread.
struct PythonCalls {
  NPUPROF_TABLE(PythonCalls);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(std::uint32_t, id);         // Number of the call event among its thread's events.
  NPUPROF_COLUMN(std::uint32_t, parent_id);  // 0 = none.
  // Instance number of an nn.Module, kNone for functions.
  NPUPROF_COLUMN(std::uint32_t, module_id);
  NPUPROF_COLUMN(std::uint64_t, key);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
