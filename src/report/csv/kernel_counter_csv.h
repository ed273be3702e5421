#pragma once

// CSV files about what was counted per kernel by parts other than the AI core: cache, address
// translation, AI CPU, data queues.

#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// l2_cache and soc_pmu.
Status write_cache_counters(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
Status write_page_faults(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
// The phases of AI CPU kernels: aicpu, which is data_preprocess in framework directories.
Status write_aicpu(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
Status write_data_preprocess(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
// dp and aicpu_mi.
Status write_data_queues(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
