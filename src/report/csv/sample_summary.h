#pragma once

// Files that say in a few lines what was sampled during the whole run: means, peaks, totals. A file
// is written if its data was collected.

#include <span>

#include "analyze/samples.h"
#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// nic, roce, pcie, hccs: also copied by frameworks.
Status write_link_summaries(const trace::Trace& trace, std::span<const analyze::Samples> samples,
                            const CsvTarget& target, ThreadPool& pool);
// hbm, ddr, llc_read_write, dvpp.
Status write_memory_summaries(std::span<const analyze::Samples> samples, const CsvTarget& target,
                              ThreadPool& pool);
// host_cpu_usage, host_mem_usage, host_disk_usage, host_network_usage, os_runtime_statistic.
Status write_host_summaries(const trace::Trace& trace, std::span<const analyze::Samples> samples,
                            const CsvTarget& target, ThreadPool& pool);
// cpu_usage, process_cpu_usage, sys_mem, process_mem; *_cpu_top_function and *_cpu_pmu_events of
// the device's CPUs.
Status write_processor_summaries(const trace::Trace& trace, const CsvTarget& target,
                                 ThreadPool& pool);
// llc_bandwidth, llc_aicpu, llc_ctrlcpu of the 310.
Status write_cache_summaries(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
