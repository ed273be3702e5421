#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyze/counter_metrics.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// The metrics of a profile's kernels, computed from the counters or, where results were loaded, as
// those give them. A file has the columns of the first device that has any: devices of one run
// collect the same groups. Keeps a reference to the trace.
class KernelMetrics {
 public:
  explicit KernelMetrics(const trace::Trace& trace);

  std::span<const PmuColumn> columns() const { return columns_; }
  std::size_t size() const { return columns_.size(); }
  bool empty() const { return columns_.empty(); }

  // Whether anything was measured of the kernel.
  bool has(std::uint32_t kernel) const;

  // Writes size() values; NaN = not available.
  void compute(std::uint32_t kernel, std::span<double> values) const;

 private:
  const trace::Trace* trace_;
  bool from_counters_;
  std::map<std::uint16_t, PmuColumns> by_device_;
  std::vector<PmuColumn> columns_;
};

}  // namespace npuprof::analyze
