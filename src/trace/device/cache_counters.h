#pragma once

#include <array>
#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct Kernels;

enum class CacheCounterKind : std::uint8_t { kL2, kSmmu, kPageFault };
using CacheCounts = std::array<std::uint64_t, 8>;

// L2 cache and SoC PMU counters of one kernel; eight values per row in the order of the event list.
// The records carry no time and no batch, so link finds the kernel by order of appearance.
struct CacheCounters {
  NPUPROF_TABLE(CacheCounters);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint8_t, kind);  // CacheCounterKind.
  NPUPROF_COLUMN(CacheCounts, counts);
  NPUPROF_COLUMN(PartOf<Kernels>, kernel);  // kNone = unknown.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
