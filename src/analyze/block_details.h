#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// How far apart the blocks of a kernel began: of those on cube cores (AIC) the first and the last
// to start, then the same of those on vector cores (AIV).
struct BlockExtremes {
  static constexpr std::size_t kCount = 4;
  std::uint32_t task = 0;                         // Row in Tasks.
  std::array<std::uint32_t, kCount> blocks = {};  // Rows in BlockIntervals, kNone = none.
};

// Of the tasks of a device, in their order; those without blocks are left out.
std::vector<BlockExtremes> block_extremes(const trace::Trace& trace, std::uint16_t device);

}  // namespace npuprof::analyze
