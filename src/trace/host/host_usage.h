#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

enum class HostUsageKind : std::uint8_t { kCpu, kMemory, kDisk, kNetwork };

// Host samples: CPU (one row per CPU and sample, unit = CPU number, kNone = average), memory, disk,
// network.
struct HostUsage {
  NPUPROF_TABLE(HostUsage);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint8_t, kind);  // HostUsageKind.
  NPUPROF_COLUMN(std::uint32_t, unit);
  NPUPROF_COLUMN(double, usage_percent);
  NPUPROF_COLUMN(double, first_rate);   // Disk read KB/s or network KB/s.
  NPUPROF_COLUMN(double, second_rate);  // Disk write KB/s.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
