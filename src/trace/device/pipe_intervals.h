#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// What a checkpoint reports has 12 bits.
inline constexpr std::uint16_t kNoCheckpoint = 0xFFFF;

// Instruction profiling of chips 15 and 16: when a pipe of a core was busy, and the checkpoints it
// passed.
struct PipeIntervals {
  NPUPROF_TABLE(PipeIntervals);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, group);
  // 0 cube core, 1 first and 2 second vector core of the group.
  NPUPROF_COLUMN(std::uint8_t, core);
  NPUPROF_COLUMN(std::uint8_t, pipe);  // Scalar, vector, cube, MTE1, MTE2, MTE3, fixpipe.
  NPUPROF_COLUMN(std::uint16_t, block);
  NPUPROF_COLUMN(std::uint16_t, checkpoint);  // What it reports; kNoCheckpoint = the pipe was busy.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
