#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Parts of fused tasks (chips 15, 16), each on a unit of its own.
struct FusionParts {
  NPUPROF_TABLE(FusionParts);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint8_t, type);  // SQE type.
  NPUPROF_COLUMN(std::uint8_t, part);  // format::device::FusionPart.
  NPUPROF_COLUMN(std::uint8_t, mission);
  NPUPROF_COLUMN(std::uint16_t, accelerator);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
