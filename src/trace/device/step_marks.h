#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Step trace records: iterations, all-reduce, get-next, device marks (tag 11), framework steps
// (60000/60001).
struct StepMarks {
  NPUPROF_TABLE(StepMarks);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint64_t, index);
  NPUPROF_COLUMN(std::uint64_t, model_id);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, tag);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
