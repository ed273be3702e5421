#pragma once

#include <cstdint>

#include "trace/device/pmu_counters.h"
#include "trace/table.h"

namespace npuprof::trace {

// Blocks of a kernel on single cores (chips 15, 16).
struct BlockIntervals {
  NPUPROF_TABLE(BlockIntervals);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);  // Set by link.
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint8_t, core);  // PmuCore: kAic or kAiv.
  NPUPROF_COLUMN(std::uint8_t, core_id);
  NPUPROF_COLUMN(std::uint16_t, block);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
