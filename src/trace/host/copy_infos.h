#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Size and direction of a memory copy, joined to its task by thread and time.
struct CopyInfos {
  NPUPROF_TABLE(CopyInfos);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint64_t, size_bytes);
  NPUPROF_COLUMN(std::uint64_t, max_task_bytes);
  NPUPROF_COLUMN(std::uint16_t, direction);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
