#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

enum class MemoryBandwidthKind : std::uint8_t { kHbm, kDdr, kLlc, kLlc310 };

// HBM, DDR and LLC samples as raw counts.
struct MemoryBandwidth {
  NPUPROF_TABLE(MemoryBandwidth);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, kind);    // MemoryBandwidthKind.
  NPUPROF_COLUMN(std::uint32_t, unit);   // HBM id, L3 id or DDR channel.
  NPUPROF_COLUMN(std::uint32_t, event);  // 0 read, 1 write; LLC: event number, CacheEvent310.
  NPUPROF_COLUMN(std::uint64_t, count);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
