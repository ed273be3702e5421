#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct Kernels;

// AI CPU kernels with their phases.
struct AicpuNodes {
  NPUPROF_TABLE(AicpuNodes);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(double, compute_us);
  NPUPROF_COLUMN(double, copy_us);
  NPUPROF_COLUMN(double, task_us);
  NPUPROF_COLUMN(double, dispatch_us);
  NPUPROF_COLUMN(double, total_us);
  NPUPROF_COLUMN(RowOf<Kernels>, kernel);  // kNone = unknown.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
