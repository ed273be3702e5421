#pragma once

// Files that say in a few lines what was sampled during the whole run: means, peaks, totals.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/samples.h"
#include "trace/trace.h"

namespace npuprof::report {

struct SummaryTable {
  std::string_view stem;
  std::string_view header;
  std::vector<std::string> rows;  // Without line ends.
};

// nic, roce, pcie, hccs: also copied by frameworks.
std::vector<SummaryTable> link_summaries(const trace::Trace& trace,
                                         std::span<const analyze::Samples> samples);
// hbm, ddr, llc_read_write, dvpp.
std::vector<SummaryTable> memory_summaries(std::span<const analyze::Samples> samples);
// host_cpu_usage, host_mem_usage, host_disk_usage, host_network_usage, os_runtime_statistic.
std::vector<SummaryTable> host_summaries(const trace::Trace& trace,
                                         std::span<const analyze::Samples> samples);

}  // namespace npuprof::report
