#pragma once

#include <array>
#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// How long the communication unit waited for each of its ranks, by index; 0 = not at all.
using CcuWaits = std::array<std::uint32_t, 16>;

// Missions of the collective communication unit (chips 15, 16): a loop that moves data, a wait for
// signals of other ranks, or both.
struct CcuMissions {
  NPUPROF_TABLE(CcuMissions);
  NPUPROF_COLUMN(Time, start_ns);  // Of the whole.
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);  // Set by link.
  NPUPROF_COLUMN(std::uint8_t, die);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint8_t, has_loop);
  NPUPROF_COLUMN(Moment, loop_start_ns);
  NPUPROF_COLUMN(Moment, loop_end_ns);
  NPUPROF_COLUMN(std::uint16_t, loop_instruction);
  NPUPROF_COLUMN(std::uint8_t, has_wait);
  NPUPROF_COLUMN(Moment, wait_start_ns);
  NPUPROF_COLUMN(std::uint16_t, wait_instruction);
  NPUPROF_COLUMN(CcuWaits, wait_ns);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
