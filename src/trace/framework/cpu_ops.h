#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Kernels that MindSpore ran on the processors of the host.
struct CpuOps {
  NPUPROF_TABLE(CpuOps);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);  // Of the worker.
  NPUPROF_COLUMN(Text, name);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
