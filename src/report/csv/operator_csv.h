#pragma once

// CSV files about operators and tasks: op_summary (kernel_details in framework directories),
// op_statistic, communication_statistic, api_statistic, task_time.

#include "analyze/operator_rows.h"
#include "analyze/statistics.h"
#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

Status write_op_summary(const trace::Trace& trace, const analyze::OperatorRows& rows,
                        const CsvTarget& target, ThreadPool& pool);

// As op_summary with the names of the framework and the step of each row, if there are steps.
Status write_kernel_details(const trace::Trace& trace, const analyze::OperatorRows& rows,
                            const CsvTarget& target, ThreadPool& pool);

Status write_op_statistic(const trace::Trace& trace, const analyze::OperatorRows& rows,
                          const CsvTarget& target, ThreadPool& pool);
Status write_communication_statistic(const trace::Trace& trace, const CsvTarget& target,
                                     ThreadPool& pool);
Status write_api_statistic(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
Status write_task_time(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
