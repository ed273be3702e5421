#pragma once

// CSV files about operators and tasks: op_summary (kernel_details in framework directories),
// op_statistic, communication_statistic, api_statistic, task_time.

#include <optional>
#include <string_view>

#include "analyze/operator_rows.h"
#include "analyze/statistics.h"
#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// `of_iterations`: rows are those of iterations of one graph, whose names and numbers are shown.
Status write_op_summary(const trace::Trace& trace, const analyze::OperatorRows& rows,
                        bool of_iterations, const CsvTarget& target, ThreadPool& pool);

// As op_summary with the names of the framework and the step of each row, if there are steps.
Status write_kernel_details(const trace::Trace& trace, const analyze::OperatorRows& rows,
                            const CsvTarget& target, ThreadPool& pool);

// `model_name`: of the graph whose iterations the rows are of, if they are of one.
Status write_op_statistic(const trace::Trace& trace, const analyze::OperatorRows& rows,
                          std::optional<std::string_view> model_name, const CsvTarget& target,
                          ThreadPool& pool);
Status write_communication_statistic(const trace::Trace& trace, const CsvTarget& target,
                                     ThreadPool& pool);
Status write_api_statistic(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
Status write_task_time(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
