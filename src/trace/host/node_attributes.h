#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Attribute text of an operator launch.
struct NodeAttributes {
  NPUPROF_TABLE(NodeAttributes);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(Text, op_name);
  NPUPROF_COLUMN(Text, attributes);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
