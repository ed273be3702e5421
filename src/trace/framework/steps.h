#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// Training steps. Host times from the step mark; device times cover the kernels launched in it.
struct Steps {
  NPUPROF_TABLE(Steps);
  NPUPROF_COLUMN(std::int64_t, id);
  NPUPROF_COLUMN(Moment, host_start_ns);
  NPUPROF_COLUMN(Moment, host_end_ns);
  NPUPROF_COLUMN(Moment, device_start_ns);  // Equal to the host times when nothing was launched.
  NPUPROF_COLUMN(Moment, device_end_ns);    // Not before host_end_ns.
  NPUPROF_COLUMN(std::uint8_t, has_kernels);
  NPUPROF_COLUMN(RowOf<FrameworkOps>, op);  // The step's row in FrameworkOps.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
