#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Turns of fused compute and communication kernels: each phase one row.
struct KernelCommunicationTurns {
  NPUPROF_TABLE(KernelCommunicationTurns);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(Text, phase);
  NPUPROF_COLUMN(std::uint8_t, turn);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
