#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Basic description of an operator launch.
struct NodeInfos {
  NPUPROF_TABLE(NodeInfos);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(Text, op_type);
  NPUPROF_COLUMN(std::uint32_t, task_type);  // format::host GE task type.
  NPUPROF_COLUMN(std::uint16_t, block_num);
  NPUPROF_COLUMN(std::uint16_t, mix_ratio);
  NPUPROF_COLUMN(std::uint32_t, op_flag);  // Non-zero = HF32 enabled.
  NPUPROF_COLUMN(std::uint8_t, is_static);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
