#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Operator description of a captured task, keyed by (device, stream, task).
struct CapturedOps {
  NPUPROF_TABLE(CapturedOps);
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_COLUMN(std::uint32_t, device);
  NPUPROF_COLUMN(std::uint32_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint32_t, task_type);
  NPUPROF_COLUMN(std::uint16_t, block_num);
  NPUPROF_COLUMN(std::uint16_t, mix_ratio);
  NPUPROF_COLUMN(std::uint32_t, op_flag);
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(Text, op_type);
  NPUPROF_COLUMN(Text, attributes);
  NPUPROF_COLUMN(Text, input_shapes);
  NPUPROF_COLUMN(Text, input_dtypes);
  NPUPROF_COLUMN(Text, input_formats);
  NPUPROF_COLUMN(Text, output_shapes);
  NPUPROF_COLUMN(Text, output_dtypes);
  NPUPROF_COLUMN(Text, output_formats);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
