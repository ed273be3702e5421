#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Raw enqueue and dequeue marks, as loaded; link pairs them into QueueRanges.
struct QueueMarks {
  NPUPROF_TABLE(QueueMarks);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint8_t, category);  // 0/1 enqueue start/end, 2/3 dequeue start/end.
  NPUPROF_COLUMN(std::uint64_t, correlation);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
