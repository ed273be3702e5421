#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// All-reduce and get-next ranges inside iterations.
struct IterationRanges {
  NPUPROF_TABLE(IterationRanges);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint64_t, model_id);
  NPUPROF_COLUMN(std::uint64_t, index);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint8_t, is_get_next);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
