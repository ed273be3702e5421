#pragma once

#include <array>
#include <cstdint>

#include "trace/device/pmu_counters.h"
#include "trace/table.h"

namespace npuprof::trace {

// Vector, scalar, cube, MTE1, MTE2, MTE3.
using PipeCycles = std::array<std::uint16_t, 6>;
// Read and write commands, read and write latency, read and write flux, the same from L2, L2 hits.
using BusTraffic = std::array<std::uint32_t, 9>;

// Instruction profiling of chips 5, 7, 8 and 11: busy cycles of the pipes since the core's previous
// sample, and on cube cores the traffic of the bus interface.
struct InstructionSamples {
  NPUPROF_TABLE(InstructionSamples);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, group);
  NPUPROF_COLUMN(std::uint8_t, core);  // PmuCore: kAic or kAiv.
  NPUPROF_COLUMN(std::uint8_t, core_id);
  NPUPROF_COLUMN(PipeCycles, cycles);
  NPUPROF_COLUMN(BusTraffic, traffic);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
