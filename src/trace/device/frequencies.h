#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// AI core frequency (and voltage) change points.
struct Frequencies {
  NPUPROF_TABLE(Frequencies);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, kind);  // 0 MHz, 1 core mV, 2 bus mV.
  NPUPROF_COLUMN(std::uint32_t, value);
  NPUPROF_COLUMN(std::uint8_t, die);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
