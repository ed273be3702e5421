#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Iterations of graph models from the step trace, sorted by (device, end). Times are 0 when the
// point was not seen; previous_end_ns is the last end of any iteration before this one's forward
// start.
struct Iterations {
  NPUPROF_TABLE(Iterations);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint64_t, model_id);
  NPUPROF_COLUMN(std::uint64_t, index);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Moment, forward_start_ns);
  NPUPROF_COLUMN(Moment, backward_end_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(Moment, previous_end_ns);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
