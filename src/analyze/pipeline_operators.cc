#include "analyze/pipeline_operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "format/mindspore/data_pipeline.h"
#include "trace/framework/pipeline_ops.h"

namespace npuprof::analyze {
namespace {

using format::mindspore::PipelineTrace;
using trace::kNone;

constexpr double kBusyWorker = 75;
constexpr double kIdleWorker = 20;
constexpr double kLowLeafQueue = 50;
constexpr double kStarvingDevice = 60;
constexpr double kQueueDifference = 50;
constexpr double kLowInputQueue = 10;

// Operators that have one thread whatever is asked for.
constexpr std::array<std::string_view, 9> kSingleThreaded = {
    "Barrier", "Concat", "EpochCtrl", "Rename", "Repeat", "Shuffle", "Skip", "Take", "Zip"};

double rounded_to(double value, double steps) { return std::round(value * steps) / steps; }
double two_decimals(double value) { return rounded_to(value, 100); }

template <typename Values>
double average(const Values& values) {
  double sum = 0;
  for (const auto value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

bool is_device_feeder(const PipelineOperator& op) {
  return op.name == "DataQueue" || op.name == "DeviceQueue";
}

bool is_single_threaded(const PipelineOperator& op) {
  return std::find(kSingleThreaded.begin(), kSingleThreaded.end(), op.name) !=
         kSingleThreaded.end();
}

std::vector<PipelineOperator> operators_of(const trace::Trace& trace) {
  const trace::PipelineOps& ops = trace.pipeline_ops();
  std::vector<PipelineOperator> operators(ops.size());
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    PipelineOperator& op = operators[row];
    op.id = ops.id[row];
    op.type = trace.strings.view(ops.type[row]);
    op.name = op.type.substr(0, op.type.ends_with("Op") ? op.type.size() - 2 : op.type.size());
    op.label = fmt::format("{}(id={})", op.name, op.id);
    op.workers = ops.workers[row];
    op.queue_length = ops.queue_length[row];
    op.sample_interval_ms = ops.sample_interval_ms[row];
    op.parent = ops.parent[row].number();
    if (op.parent != kNone) operators[op.parent].children.push_back(row);
  }
  const trace::PipelineQueues& queues = trace.pipeline_queues();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    operators[queues.op[i]].queue_sizes.push_back(queues.items[i]);
  }
  return operators;
}

void measure_queue(PipelineOperator& op) {
  if (!op.has_queue() || op.queue_sizes.empty()) return;
  const auto empty = std::count(op.queue_sizes.begin(), op.queue_sizes.end(), 0);
  op.queue_average = two_decimals(average(op.queue_sizes));
  op.queue_empty_percent =
      two_decimals(100.0 * static_cast<double>(empty) / static_cast<double>(op.queue_sizes.size()));
  if (op.queue_length == 0) return;
  op.queue_used_percent =
      two_decimals(100 * op.queue_average / static_cast<double>(op.queue_length));
}

void measure_cpu(const trace::Trace& trace, std::vector<PipelineOperator>& operators) {
  const trace::PipelineCpus& cpus = trace.pipeline_cpus();
  std::vector<std::vector<double>> samples(operators.size());
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    samples[cpus.op[i].number()].push_back(static_cast<double>(cpus.user_percent[i]) +
                                           static_cast<double>(cpus.system_percent[i]));
  }
  for (std::size_t row = 0; row < operators.size(); ++row) {
    if (samples[row].empty()) continue;
    PipelineOperator& op = operators[row];
    op.cpu_percent = two_decimals(average(samples[row]));
    if (op.workers > 0) {
      op.cpu_percent_per_worker = two_decimals(op.cpu_percent / static_cast<double>(op.workers));
    }
  }
}

// The first batch comes with all that is done once, and says nothing.
void measure_batches(const trace::Trace& trace, DataPipeline& pipeline) {
  const trace::PipelineBatches& batches = trace.pipeline_batches();
  std::array<std::vector<std::int64_t>, 3> waits;  // By PipelineTrace::Wait.
  std::int64_t last_ms = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::int64_t stamp_ms = batches.stamp_ms[i];
    if (batches.batch[i] < 2) {
      last_ms = stamp_ms;
    } else if (static_cast<PipelineTrace::Kind>(batches.kind[i]) == PipelineTrace::Kind::kTime) {
      const std::int64_t wait = batches.extra[i];
      if (wait >= 0 && wait < 3) waits[static_cast<std::size_t>(wait)].push_back(batches.value[i]);
    } else if (batches.is_device_queue[i] == 0) {
      waits[2].push_back(stamp_ms - last_ms);
      last_ms = stamp_ms;
    }
  }
  const auto measure = [](const std::vector<std::int64_t>& values) {
    return values.empty() ? kUnknownMeasure : rounded_to(average(values), 1000);
  };
  pipeline.pipeline_ms = measure(waits[0]);
  pipeline.push_ms = measure(waits[1]);
  pipeline.batch_ms = measure(waits[2]);
}

std::string percent_text(double value) {
  std::string text;
  append_double(text, value);
  return text + " %";
}

// What operators say about each other.
class PipelineFindings {
 public:
  explicit PipelineFindings(DataPipeline& pipeline) : pipeline_(pipeline) {}

  void find() {
    for (const PipelineOperator& op : pipeline_.operators) {
      if (is_single_threaded(op)) continue;
      look_at_workers(op);
      look_at_queues(op);
    }
    find_bottleneck();
  }

 private:
  // The nearest operator below with a queue, which is where `op` takes from.
  const PipelineOperator* input_of(const PipelineOperator& op) const {
    const PipelineOperator* below = &op;
    while (!below->children.empty()) {
      below = &pipeline_.operators[below->children.front()];
      if (below->queue_average != kUnknownMeasure) return below;
    }
    return nullptr;
  }

  void look_at_workers(const PipelineOperator& op) {
    if (op.cpu_percent_per_worker == kUnknownMeasure) return;
    const std::string used = percent_text(op.cpu_percent_per_worker);
    if (op.cpu_percent_per_worker > kBusyWorker) {
      pipeline_.cpu_findings.push_back(fmt::format(
          "{}: each worker uses {} of a processor. More than {} worker(s) (num_parallel_workers) "
          "may make it faster.",
          op.label, used, op.workers));
    } else if (op.cpu_percent_per_worker < kIdleWorker && op.workers > 1) {
      pipeline_.cpu_findings.push_back(fmt::format(
          "{}: each worker uses only {} of a processor, so {} workers (num_parallel_workers) may "
          "be more than it can use.",
          op.label, used, op.workers));
    }
  }

  void look_at_queues(const PipelineOperator& op) {
    if (op.name == "Batch") return;  // It waits for whole batches; its queue says nothing.
    const PipelineOperator* const input = input_of(op);
    if (is_device_feeder(op)) {
      if (input != nullptr && input->queue_empty_percent > kStarvingDevice) {
        pipeline_.queue_findings.push_back(fmt::format(
            "{}: its input is empty {} of the time. The device waits for data then: the host "
            "cannot keep up with it.",
            op.label, percent_text(input->queue_empty_percent)));
      }
    } else if (op.queue_used_percent == kUnknownMeasure) {
      return;
    } else if (input == nullptr) {
      if (op.queue_used_percent > kLowLeafQueue) return;
      pipeline_.queue_findings.push_back(
          fmt::format("{}: this source fills {} of its queue. More than {} worker(s) "
                      "(num_parallel_workers) may read faster.",
                      op.label, percent_text(op.queue_used_percent), op.workers));
    } else if (input->queue_used_percent != kUnknownMeasure &&
               input->queue_used_percent - op.queue_used_percent > kQueueDifference) {
      pipeline_.queue_findings.push_back(fmt::format(
          "{}: {} of its input is full, but {} of its output. {} makes data faster than it takes "
          "it. If it uses little of a processor, try more workers or a larger prefetch_size.",
          op.label, percent_text(input->queue_used_percent), percent_text(op.queue_used_percent),
          input->label));
    }
  }

  // From the sources on, so that the last one found is nearest to the device.
  void find_bottleneck() {
    for (auto row = static_cast<std::uint32_t>(pipeline_.operators.size()); row-- > 0;) {
      const PipelineOperator& op = pipeline_.operators[row];
      const double used = op.cpu_percent_per_worker;
      if (used == kUnknownMeasure || is_single_threaded(op) || is_device_feeder(op)) continue;
      if (used > kBusyWorker) {
        set_bottleneck(row, fmt::format("{} uses {} of a processor for each worker: try more than "
                                        "{} worker(s) (num_parallel_workers).",
                                        op.label, percent_text(used), op.workers));
      } else if (used < kIdleWorker && has_odd_queues(op)) {
        set_bottleneck(row, fmt::format("{} uses only {} of a processor for each worker, and its "
                                        "queues are uneven: try a larger prefetch_size.",
                                        op.label, percent_text(used)));
      }
    }
  }
  bool has_odd_queues(const PipelineOperator& op) const {
    const PipelineOperator* const input = input_of(op);
    if (input == nullptr) return false;
    return input->queue_used_percent < kLowInputQueue ||
           op.queue_used_percent - input->queue_used_percent > kQueueDifference;
  }
  void set_bottleneck(std::uint32_t row, std::string suggestion) {
    pipeline_.bottleneck = row;
    pipeline_.suggestion = std::move(suggestion);
  }

  DataPipeline& pipeline_;
};

}  // namespace

DataPipeline data_pipeline(const trace::Trace& trace) {
  DataPipeline pipeline;
  pipeline.operators = operators_of(trace);
  for (PipelineOperator& op : pipeline.operators) measure_queue(op);
  measure_cpu(trace, pipeline.operators);
  measure_batches(trace, pipeline);
  PipelineFindings(pipeline).find();
  return pipeline;
}

}  // namespace npuprof::analyze
