#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Data preprocessing: actions on a queue (dp) and waits of the MindSpore queue (aicpu_mi).
struct DataQueueEvents {
  NPUPROF_TABLE(DataQueueEvents);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(Text, name);  // Action or node name.
  NPUPROF_COLUMN(Text, source);
  NPUPROF_COLUMN(std::uint64_t, index);
  NPUPROF_COLUMN(std::uint64_t, queue_size);
  NPUPROF_COLUMN(std::uint8_t, is_wait);  // 1 = aicpu_mi row.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
