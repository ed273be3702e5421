#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Shapes, types and formats of an operator launch as the result files print them.
struct NodeTensors {
  NPUPROF_TABLE(NodeTensors);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(Text, input_shapes);
  NPUPROF_COLUMN(Text, input_dtypes);
  NPUPROF_COLUMN(Text, input_formats);
  NPUPROF_COLUMN(Text, output_shapes);
  NPUPROF_COLUMN(Text, output_dtypes);
  NPUPROF_COLUMN(Text, output_formats);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
