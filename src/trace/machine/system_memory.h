#pragma once

#include <cstdint>

#include "trace/machine/cpu_kind.h"
#include "trace/table.h"

namespace npuprof::trace {

// Memory of a whole machine.
struct SystemMemory {
  NPUPROF_TABLE(SystemMemory);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint64_t, total_kb);
  NPUPROF_COLUMN(std::uint64_t, free_kb);
  NPUPROF_COLUMN(std::uint64_t, buffers_kb);
  NPUPROF_COLUMN(std::uint64_t, cached_kb);
  NPUPROF_COLUMN(std::uint64_t, shared_kb);
  NPUPROF_COLUMN(std::uint64_t, commit_limit_kb);
  NPUPROF_COLUMN(std::uint64_t, committed_kb);
  NPUPROF_COLUMN(std::uint64_t, huge_pages_total);
  NPUPROF_COLUMN(std::uint64_t, huge_pages_free);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
