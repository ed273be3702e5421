#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Physical to logical stream numbers.
struct LogicalStreams {
  NPUPROF_TABLE(LogicalStreams);
  NPUPROF_COLUMN(std::uint32_t, physical);
  NPUPROF_COLUMN(std::uint32_t, logical);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
