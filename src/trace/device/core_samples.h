#pragma once

#include <cstdint>

#include "trace/device/pmu_counters.h"
#include "trace/table.h"

namespace npuprof::trace {

// Sampled AI core counters (sample-based runs).
struct CoreSamples {
  NPUPROF_TABLE(CoreSamples);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, core_id);
  NPUPROF_COLUMN(std::uint8_t, core);  // PmuCore.
  NPUPROF_COLUMN(std::uint64_t, cycles);
  NPUPROF_COLUMN(PmuCounters, counters);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
