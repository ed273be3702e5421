#pragma once

#include <cstdint>

#include "trace/linked/op_state.h"
#include "trace/table.h"

namespace npuprof::trace {

struct CapturedOps;
struct NodeTensors;

// The operator that a launch runs, one row per task (shared by the contexts of the task). What is
// not known prints as N/A. A launch may have an operator and belong to a collective as well (reduce
// kernels, AI CPU kernels that drive a collective).
struct LaunchedOps {
  NPUPROF_TABLE(LaunchedOps);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(Text, op_type);  // Empty = unknown, as at level 0.
  // GE task type, corrected by the host task; kNone = unknown.
  NPUPROF_COLUMN(std::uint32_t, task_type);
  NPUPROF_COLUMN(std::uint8_t, op_state);  // OpState.
  NPUPROF_COLUMN(std::uint32_t, block_num);
  NPUPROF_COLUMN(std::uint32_t, mix_block_num);
  NPUPROF_COLUMN(std::uint8_t, hf32);           // 0 no, 1 yes, 2 unknown.
  NPUPROF_COLUMN(Text, attributes);             // Empty = none.
  NPUPROF_COLUMN(RowOf<NodeTensors>, tensors);  // kNone = none.
  // Row in CapturedOps, whose tensors then count; else kNone.
  NPUPROF_COLUMN(RowOf<CapturedOps>, captured_op);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
