#pragma once

// CSV files of samples and counters. Each is written if its data was collected.

#include <span>

#include "analyze/samples.h"
#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// The files of CANN's own export: hbm, llc, nic, npu_mem, host_cpu_usage, ...
Status write_sample_files(const trace::Trace& trace, std::span<const analyze::Samples> samples,
                          const CsvTarget& target, ThreadPool& pool);

// Those that frameworks copy, with their names and units.
Status write_framework_sample_files(const trace::Trace& trace,
                                    std::span<const analyze::Samples> samples,
                                    const CsvTarget& target, ThreadPool& pool);

// Those that MindSpore copies, as CANN writes them.
Status write_mindspore_sample_files(const trace::Trace& trace,
                                    std::span<const analyze::Samples> samples,
                                    const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
