#pragma once

#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// Metrics of sampled cores: ai_core_utilization and ai_vector_core_utilization.
Status write_core_utilization(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
