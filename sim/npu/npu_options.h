#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/frequency_plan.h"
#include "sim/prof/collection_settings.h"

namespace npuprof::sim {

// A fault: kernels of this type take `factor` times as long.
struct SlowKernel {
  std::string type;
  double factor = 1;
};

struct NpuOptions {
  const ChipSpec* chip = nullptr;
  std::uint32_t rank = 0;
  std::uint32_t device = 0;
  std::uint32_t process_id = 1000;
  std::uint64_t seed = 1;
  CollectionSettings collection;

  // Faults.
  double compute_slowdown = 1;  // Every kernel takes so many times as long.
  std::vector<SlowKernel> slow_kernels;
  double host_slowdown = 1;                    // Every call takes so many times as long.
  std::vector<FrequencyDrop> frequency_drops;  // The AI core clock is lowered for a while.
  double dropped_kernel_share = 0;             // Part of the kernels whose end is never logged.
  std::uint16_t first_task_id = 0;             // Of each stream; near 65534 it wraps at once.
};

}  // namespace npuprof::sim
