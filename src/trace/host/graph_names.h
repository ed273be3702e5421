#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Names of loaded models.
struct GraphNames {
  NPUPROF_TABLE(GraphNames);
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_COLUMN(std::uint32_t, graph_id);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
