#pragma once

// What MindSpore's data pipeline tells about itself: the operators and the length of their queues,
// the processors they used, and how long the consumer waited for each batch.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace npuprof::format::mindspore {

// `pipeline_profiling_{rank}.json`: {"op_info": [{"children", "metrics": {"output_queue":
// {"length", "size"}}, "num_workers", "op_id", "op_type"}], "sampling_interval"}, leaves last.
struct PipelineFile {
  struct Queue {
    std::int64_t length = 0;
    std::vector<std::int64_t> sizes;  // One for each sample.

    bool operator==(const Queue&) const = default;
  };
  struct Operator {
    std::int64_t id = 0;
    std::string type;  // "BatchOp"
    std::int64_t workers = 0;
    // Operators that run inside of others have none, nor has the one that feeds the device.
    std::optional<Queue> queue;
    std::vector<std::int64_t> children;

    bool operator==(const Operator&) const = default;
  };
  std::int64_t sampling_interval_ms = 0;
  std::vector<Operator> operators;
  // When it was read: values of another type than they have, which were taken for missing.
  std::uint64_t odd_values = 0;

  bool operator==(const PipelineFile& other) const {
    return sampling_interval_ms == other.sampling_interval_ms && operators == other.operators;
  }
};

// `minddata_cpu_utilization_{rank}.json`. Utilisations are percent; operators may use more than one
// processor. The operator -1 is what belongs to none.
struct PipelineCpuFile {
  struct Usage {
    std::vector<std::int64_t> user;
    std::vector<std::int64_t> system;

    bool operator==(const Usage&) const = default;
  };
  struct Operator {
    std::int64_t id = 0;
    Usage usage;

    bool operator==(const Operator&) const = default;
  };
  std::int64_t processors = 0;
  std::vector<std::int64_t> context_switches;
  std::vector<std::int64_t> idle;
  std::vector<std::int64_t> waiting;  // For input and output.
  std::vector<std::int64_t> runnable_processes;
  Usage machine;
  std::vector<Operator> operators;
  Usage process;
  std::int64_t sampling_interval_ms = 0;
  std::vector<std::int64_t> times_ms;  // Of the samples, on the clock of the trace below.
  std::uint64_t odd_values = 0;        // As above.

  bool operator==(const PipelineCpuFile&) const = default;
};

// Keys may be missing or of an unexpected type (they then keep their default); text that is no JSON
// object, or has no list of operators, is an error.
Result<PipelineFile> parse_pipeline(std::string_view text);
std::string to_json(const PipelineFile& file);
Result<PipelineCpuFile> parse_pipeline_cpu(std::string_view text);
std::string to_json(const PipelineCpuFile& file);

// A line of `device_queue_profiling_{rank}.txt` or `dataset_iterator_profiling_{rank}.txt`, five
// numbers: "0 0 20 10 1500".
struct PipelineTrace {
  enum class Kind : std::uint8_t { kTime = 0, kQueue = 1 };
  // What `extra` is of a time.
  enum class Wait : std::uint8_t { kPipeline = 0, kPush = 1, kBatch = 2 };

  Kind kind = Kind::kTime;
  std::int64_t extra = 0;  // Of a queue: how many it has room for.
  std::int64_t batch = 0;  // From 1.
  std::int64_t value = 0;  // ms, or how many are in the queue.
  std::int64_t time_ms = 0;

  bool operator==(const PipelineTrace&) const = default;
};
std::optional<PipelineTrace> parse_pipeline_trace(std::string_view line);
void append_pipeline_trace(std::string& text, const PipelineTrace& trace);

}  // namespace npuprof::format::mindspore
