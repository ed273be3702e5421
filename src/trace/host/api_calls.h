#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// API intervals of all levels, event pairs already merged. The row number + 1 is the connection id.
// Sorted by start, then level from high to low, then end from high to low, so that a call comes
// after the calls that enclose it.
struct ApiCalls {
  NPUPROF_TABLE(ApiCalls);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, level);  // format::host::Level.
  NPUPROF_COLUMN(std::uint32_t, type);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, request_id);  // Iteration of a model call; 0xFFFF = single.
  NPUPROF_COLUMN(std::uint64_t, item);        // Raw item: hash, model id or step tag; 0 = none.
  NPUPROF_COLUMN(Text, name);                 // Name of the type.
  NPUPROF_COLUMN(Text, item_name);            // Text of the item where it is a hash.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
