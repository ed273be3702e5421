#pragma once

#include <cstdint>
#include <string>

#include "analyze/memory_timeline.h"

namespace npuprof::report {

struct MemoryPage {
  std::string device;  // "npu:0"
  analyze::MemoryPeaks peaks;
  bool simulated = false;
};

// A page that draws memory by category over time. It holds all it needs: the picture is there
// without scripts, which only tell the numbers below the pointer. At most a few thousand points are
// drawn; of those too close to each other the one with the most memory is.
std::string memory_page(const analyze::MemoryTimeline& timeline, const MemoryPage& page);

}  // namespace npuprof::report
