#pragma once

#include <cstdint>

#include "trace/machine/cpu_kind.h"
#include "trace/table.h"

namespace npuprof::trace {

struct ProcessMemory {
  NPUPROF_TABLE(ProcessMemory);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(std::uint64_t, size_pages);
  NPUPROF_COLUMN(std::uint64_t, resident_pages);
  NPUPROF_COLUMN(std::uint64_t, shared_pages);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
