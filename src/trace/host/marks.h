#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// mstx and msproftx marks and ranges, segments of long messages joined.
struct Marks {
  NPUPROF_TABLE(Marks);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint8_t, is_mstx);  // 0 = classic stamp.
  NPUPROF_COLUMN(std::uint32_t, category);
  NPUPROF_COLUMN(std::uint32_t, event_type);
  NPUPROF_COLUMN(std::int32_t, payload_type);
  NPUPROF_COLUMN(std::uint64_t, payload);
  NPUPROF_COLUMN(std::uint64_t, mark_id);
  NPUPROF_COLUMN(Text, domain);
  NPUPROF_COLUMN(std::int32_t, message_type);
  NPUPROF_COLUMN(Text, message);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
