#pragma once

// Metrics of single cores over a whole run whose cores were sampled.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/device/pmu_metrics.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct CoreMetrics {
  std::uint16_t device = 0;
  bool on_vector_cores = false;
  std::vector<std::string> names;  // Without unit: "mac_ratio".
  std::vector<format::device::MetricKind> kinds;
  std::vector<std::uint8_t> cores;
  std::vector<double> total_ns;  // Time each core was busy.
  std::vector<double> values;    // names.size() for each core.
};

// By device, cube cores first. Without kinds of core of which no metrics were collected.
std::vector<CoreMetrics> core_metrics(const trace::Trace& trace);

}  // namespace npuprof::analyze
