#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Memory of the process (event 0) and of the whole device (1).
struct DeviceMemory {
  NPUPROF_TABLE(DeviceMemory);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, event);
  NPUPROF_COLUMN(std::uint64_t, ddr_bytes);
  NPUPROF_COLUMN(std::uint64_t, hbm_bytes);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
