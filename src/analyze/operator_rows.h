#pragma once

#include <cstdint>
#include <vector>

#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// What op_summary and kernel_details list: compute kernels and collectives of all devices in order
// of their start, with the time each had to wait for the one before it.
struct OperatorRows {
  NPUPROF_TABLE(OperatorRows);
  NPUPROF_COLUMN(std::uint32_t, row);  // In Kernels, or in CollectiveOps.
  NPUPROF_COLUMN(std::uint8_t, is_collective);
  NPUPROF_COLUMN(trace::Time, start_ns);
  NPUPROF_COLUMN(std::int64_t, duration_ns);
  NPUPROF_COLUMN(std::int64_t, wait_ns);  // 0 for the first of a device.
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_TABLE_END();
};

OperatorRows operator_rows(const trace::Trace& trace);

}  // namespace npuprof::analyze
