#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// FFTS+ contexts of a launch, one row per context.
struct ContextIds {
  NPUPROF_TABLE(ContextIds);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint16_t, level);  // Node or HCCL.
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(std::uint32_t, context);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
