#pragma once

#include <cstdint>

#include "trace/device/pmu_counters.h"
#include "trace/table.h"

namespace npuprof::trace {

// Counters of one kernel on one side. MIX kernels have a main record here and slave blocks summed
// into another. `counters` has kPmuCounters values per row.
struct PmuRecords {
  NPUPROF_TABLE(PmuRecords);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint32_t, context);
  NPUPROF_COLUMN(std::uint8_t, core);          // PmuCore: which side the counters are of.
  NPUPROF_COLUMN(std::uint8_t, is_slave);      // Sum over the slave blocks of a MIX kernel.
  NPUPROF_COLUMN(std::uint32_t, block_count);  // Slave blocks summed; 0 on main records.
  NPUPROF_COLUMN(std::uint64_t, cycles);
  NPUPROF_COLUMN(PmuCounters, counters);  // In the order of the event list.
  NPUPROF_COLUMN(double, mhz);  // AI core frequency in force at the end; 0 on slave records.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
