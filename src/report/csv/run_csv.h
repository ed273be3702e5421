#pragma once

// Tables of CANN's export about the run as a whole: iterations of graphs, fused operators, marks of
// the user. Without rows there is no file.

#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

Status write_step_trace(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
Status write_fusion_op(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
Status write_msprof_tx(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
