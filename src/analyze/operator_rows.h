#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// What op_summary and kernel_details list: compute kernels and collectives of all devices in order
// of their start, with the time each had to wait for the one before it.
struct OperatorRows {
  std::vector<std::uint32_t> row;  // In Kernels, or in CollectiveOps.
  std::vector<std::uint8_t> is_collective;
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int64_t> wait_ns;  // 0 for the first of a device.
  std::vector<std::uint16_t> device;

  std::size_t size() const { return row.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("row", self.row);
    visit("is_collective", self.is_collective);
    visit("start_ns", self.start_ns);
    visit("duration_ns", self.duration_ns);
    visit("wait_ns", self.wait_ns);
    visit("device", self.device);
  }
};

OperatorRows operator_rows(const trace::Trace& trace);

}  // namespace npuprof::analyze
