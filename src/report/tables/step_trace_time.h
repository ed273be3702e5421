#pragma once

// Where the time of steps went: step_trace_time.csv, and StepTraceTime of analysis.db.

#include <span>

#include "analyze/step_time.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "report/csv/csv_file.h"
#include "report/sqlite/bulk_database.h"

namespace npuprof::report {

Status write_step_trace_time(std::span<const analyze::StepTime> steps, const CsvTarget& target,
                             ThreadPool& pool);
// With the columns of MindSpore.
Status write_mindspore_step_trace_time(std::span<const analyze::StepTime> steps,
                                       const CsvTarget& target, ThreadPool& pool);
// Without steps there is no table.
void write_step_trace_time(std::span<const analyze::StepTime> steps,
                           sqlite::BulkDatabase& database);

}  // namespace npuprof::report
