#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Raw Python calls and returns, as loaded; link replays them into PythonCalls.
struct PythonEvents {
  NPUPROF_TABLE(PythonEvents);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(std::uint64_t, key);  // Function key, see PythonNames.
  NPUPROF_COLUMN(std::uint8_t, tag);   // 0 call, 1 return, 2 C call, 3 C return.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
