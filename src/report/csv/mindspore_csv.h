#pragma once

// Text files that only MindSpore has.

#include "analyze/pipeline_operators.h"
#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// dataset.csv: operations of the data pipeline, by what they are.
Status write_dataset(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

// operator_details.csv: inputs of each launch.
Status write_launch_shapes(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

// minddata_pipeline_raw_<rank>.csv, minddata_pipeline_summary_<rank>.csv and .json. Nothing without
// a pipeline.
Status write_data_pipeline(const trace::Trace& trace, const CsvTarget& target);
// Their contents.
std::string pipeline_raw_csv(const analyze::DataPipeline& pipeline, std::string_view line_end);
std::string pipeline_summary_csv(const analyze::DataPipeline& pipeline, std::string_view line_end);
std::string pipeline_summary_json(const analyze::DataPipeline& pipeline);

}  // namespace npuprof::report
