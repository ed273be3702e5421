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
  std::string header;
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

// cpu_usage, process_cpu_usage, sys_mem, process_mem; *_cpu_top_function and *_cpu_pmu_events of
// the device's CPUs.
std::vector<SummaryTable> processor_summaries(const trace::Trace& trace);
// llc_bandwidth, llc_aicpu, llc_ctrlcpu of the 310.
std::vector<SummaryTable> cache_summaries(const trace::Trace& trace);

}  // namespace npuprof::report
