#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct Marks;

// mstx marks and ranges as the device saw them.
struct DeviceMarks {
  NPUPROF_TABLE(DeviceMarks);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(RowOf<Marks>, mark);  // kNone = unknown.
  NPUPROF_COLUMN(std::uint64_t, mark_id);
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
