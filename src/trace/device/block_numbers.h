#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Block counts decided on the device (tiling sink).
struct BlockNumbers {
  NPUPROF_TABLE(BlockNumbers);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint16_t, block_num);
  NPUPROF_COLUMN(std::uint16_t, mix_ratio);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
