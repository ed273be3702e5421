#pragma once

#include <cstdint>

#include "sim/model/kernel.h"
#include "sim/model/pmu.h"

namespace npuprof::sim {

// What one side of a kernel does, summed over its blocks.
struct SideLoad {
  CoreSide side = CoreSide::kVector;
  ElementType type_of_math = ElementType::kBfloat16;
  UnitRatios ratios;
  double cube_flops = 0;
  double read_bytes = 0;  // Memory to core, through L2.
  double written_bytes = 0;
  double hbm_read_bytes = 0;
  double hbm_written_bytes = 0;
};

// How often an event happens: once per so many cycles of the core, and so often whatever the
// cycles.
struct EventRate {
  double per_cycle = 0;
  double fixed = 0;
};

// The rate of any event of the metric groups (and of custom lists); zero for an unknown event.
EventRate event_rate(const ChipSpec& chip, std::uint16_t event, const SideLoad& load);

}  // namespace npuprof::sim
