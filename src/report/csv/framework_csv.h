#pragma once

// CSV files that only framework directories have: operator_details, operator_host_memory.

#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

Status write_operator_details(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
// Ours: memory of the host, which the vendor's files leave out.
Status write_operator_host_memory(const trace::Trace& trace, const CsvTarget& target,
                                  ThreadPool& pool);

}  // namespace npuprof::report
