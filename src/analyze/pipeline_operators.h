#pragma once

// MindSpore's data pipeline: which of its operators is the one that the others, and the device,
// wait for.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// What is not known of an operator or of the pipeline.
inline constexpr double kUnknownMeasure = -1;

struct PipelineOperator {
  std::int64_t id = 0;
  std::string_view type;  // "BatchOp"
  std::string name;       // "Batch"
  std::string label;      // "Batch(id=0)"
  std::int64_t workers = 0;
  std::int64_t queue_length = -1;         // -1: it has no queue, and runs inside of another.
  std::vector<std::int64_t> queue_sizes;  // The samples.
  std::int64_t sample_interval_ms = 0;
  double queue_average = kUnknownMeasure;
  double queue_used_percent = kUnknownMeasure;
  double queue_empty_percent = kUnknownMeasure;  // Of the samples.
  double cpu_percent = kUnknownMeasure;          // Of one processor, average over the samples.
  double cpu_percent_per_worker = kUnknownMeasure;
  std::uint32_t parent = trace::kNone;  // Rows of DataPipeline::operators.
  std::vector<std::uint32_t> children;

  bool has_queue() const { return queue_length >= 0; }
};

struct DataPipeline {
  std::vector<PipelineOperator> operators;  // By id.
  // Averages over batches without the first, in ms.
  double pipeline_ms = kUnknownMeasure;  // Waiting for data.
  double push_ms = kUnknownMeasure;      // Handing it to the device.
  double batch_ms = kUnknownMeasure;     // From batch to batch.
  // Sentences about operators, in the order of operators.
  std::vector<std::string> cpu_findings;
  std::vector<std::string> queue_findings;
  std::uint32_t bottleneck = trace::kNone;  // A row of operators.
  std::string suggestion;

  bool empty() const { return operators.empty(); }
};

// The thresholds are MindSpore's: a worker that uses more than 75 % of a processor is busy, one
// below 20 % idle; a queue below 10 % lacks input; queues that differ by more than 50 % of their
// length say that one side is faster; a device starves whose queue is empty in 60 % of the samples.
DataPipeline data_pipeline(const trace::Trace& trace);

}  // namespace npuprof::analyze
