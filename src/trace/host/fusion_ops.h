#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Operators fused into one, with the memory of the whole.
struct FusionOps {
  NPUPROF_TABLE(FusionOps);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(Text, original_ops);  // Joined by ';'.
  NPUPROF_COLUMN(std::uint64_t, input_bytes);
  NPUPROF_COLUMN(std::uint64_t, output_bytes);
  NPUPROF_COLUMN(std::uint64_t, weight_bytes);
  NPUPROF_COLUMN(std::uint64_t, workspace_bytes);
  NPUPROF_COLUMN(std::uint64_t, total_bytes);
  NPUPROF_COLUMN(std::uint32_t, model_id);  // Set by link, kNone = unknown.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
