#pragma once

#include <cstdint>

#include "trace/machine/cpu_kind.h"
#include "trace/table.h"

namespace npuprof::trace {

// CPU time of a process, in jiffies since it began.
struct ProcessCpuTimes {
  NPUPROF_TABLE(ProcessCpuTimes);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(std::uint64_t, used);
  // Of all CPUs since the machine was started, busy or not.
  NPUPROF_COLUMN(std::uint64_t, machine);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
