#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Delays of the communication unit's channels; the bandwidth is 4096 bytes per delay.
struct CcuChannels {
  NPUPROF_TABLE(CcuChannels);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, die);
  NPUPROF_COLUMN(std::uint8_t, channel);
  NPUPROF_COLUMN(std::uint32_t, average_delay);
  NPUPROF_COLUMN(std::uint32_t, min_delay);
  NPUPROF_COLUMN(std::uint32_t, max_delay);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
