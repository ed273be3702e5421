#pragma once

// What tests of the simulated NPU have in common.

#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/model/chip.h"

namespace npuprof::sim::testing {

inline constexpr std::uint32_t kThread = 5;  // The id of the thread that launches.
inline constexpr std::int64_t kMiB = 1024 * 1024;

inline const ChipSpec& chip() { return **find_chip("910B3"); }

// A group of the ranks from 0 on.
inline std::vector<std::uint32_t> first_ranks(std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0u);
  return ranks;
}

}  // namespace npuprof::sim::testing
