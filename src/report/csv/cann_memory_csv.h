#pragma once

#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// Memory of CANN's own pool and of static graphs: memory_record, operator_memory, static_op_mem in
// the form of CANN's export.
Status write_cann_memory(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
// static_op_mem alone.
Status write_static_memory(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
