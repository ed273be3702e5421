#include "sim/mindspore/pipeline_stages.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "format/mindspore/data_pipeline.h"
#include "format/mindspore/file_names.h"

namespace npuprof::sim {
namespace {

namespace ms = format::mindspore;

constexpr std::int64_t kQueueLength = 16;
constexpr std::int64_t kSamplingMs = 1000;
constexpr std::int64_t kProcessors = 8;
// Parts of a step that a stage works for, in percent of its length: begin and end.
struct Stage {
  std::string_view event;
  std::string_view type;
  std::int64_t workers;
  std::uint64_t begin_percent;
  std::uint64_t end_percent;
  std::int64_t processor_percent;  // Of one processor, all workers together.
};
// From the consumer's side on, as MindSpore counts them.
constexpr std::array kStages = {
    Stage{"Batch", "BatchOp", 2, 70, 75, 20},
    Stage{"Map", "MapOp", 2, 10, 70, 160},
    Stage{"GeneratorOp", "GeneratorOp", 1, 5, 10, 4},
};

// Items in the queue behind a stage at a sample.
std::int64_t queue_size(std::size_t stage, std::size_t sample) {
  if (stage == 0) return sample % 4 == 3 ? 1 : 0;
  return stage == 1 ? kQueueLength / 2 : kQueueLength;
}

ms::PipelineFile pipeline_file(std::size_t samples) {
  ms::PipelineFile file;
  file.sampling_interval_ms = kSamplingMs;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    ms::PipelineFile::Operator op;
    op.id = static_cast<std::int64_t>(i);
    op.type = kStages[i].type;
    op.workers = kStages[i].workers;
    ms::PipelineFile::Queue queue{.length = kQueueLength, .sizes = {}};
    for (std::size_t sample = 0; sample < samples; ++sample) {
      queue.sizes.push_back(queue_size(i, sample));
    }
    op.queue = std::move(queue);
    if (i + 1 < kStages.size()) op.children = {static_cast<std::int64_t>(i + 1)};
    file.operators.push_back(std::move(op));
  }
  return file;
}

ms::PipelineCpuFile processor_file(std::size_t samples) {
  ms::PipelineCpuFile file;
  file.processors = kProcessors;
  file.sampling_interval_ms = kSamplingMs;
  const auto usage = [&](std::int64_t percent) {
    // A quarter of the time goes to the system.
    return ms::PipelineCpuFile::Usage{std::vector<std::int64_t>(samples, percent - percent / 4),
                                      std::vector<std::int64_t>(samples, percent / 4)};
  };
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    file.operators.push_back({static_cast<std::int64_t>(i), usage(kStages[i].processor_percent)});
    sum += kStages[i].processor_percent;
  }
  file.process = usage(sum);
  file.machine = usage(sum / kProcessors);
  file.context_switches.assign(samples, 1000);
  file.idle.assign(samples, 100 - sum / kProcessors);
  file.waiting.assign(samples, 0);
  file.runnable_processes.assign(samples, 2);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    file.times_ms.push_back(static_cast<std::int64_t>(sample) * kSamplingMs);
  }
  return file;
}

// The consumer waits as long as the slow stage takes: 10 ms for a batch, of which 9 for the
// pipeline.
std::string iterator_trace(std::size_t batches) {
  constexpr std::int64_t kBatchMs = 10;
  constexpr std::int64_t kPipelineMs = 9;
  using Trace = ms::PipelineTrace;
  std::string text;
  for (std::size_t i = 0; i < batches; ++i) {
    const auto batch = static_cast<std::int64_t>(i + 1);
    const std::int64_t time_ms = batch * kBatchMs;
    const auto put = [&](Trace::Kind kind, std::int64_t extra, std::int64_t value) {
      ms::append_pipeline_trace(
          text, {.kind = kind, .extra = extra, .batch = batch, .value = value, .time_ms = time_ms});
    };
    put(Trace::Kind::kTime, static_cast<std::int64_t>(Trace::Wait::kPipeline), kPipelineMs);
    put(Trace::Kind::kTime, static_cast<std::int64_t>(Trace::Wait::kBatch), kBatchMs);
    put(Trace::Kind::kQueue, kQueueLength, queue_size(0, i));
  }
  return text;
}

}  // namespace

std::vector<PipelineRecord> pipeline_records(const std::vector<StepTicks>& steps) {
  std::vector<PipelineRecord> records;
  for (const StepTicks& step : steps) {
    const std::uint64_t length = step.end - step.start;
    for (std::size_t i = kStages.size(); i-- > 0;) {
      const Stage& stage = kStages[i];
      records.push_back({.thread = step.thread + 10 + i,
                         .start = step.start + length * stage.begin_percent / 100,
                         .end = step.start + length * stage.end_percent / 100,
                         .event = std::string(stage.event),
                         .name = "WorkerProcess",
                         .custom_info = "batch_size:32;shape:[32, 64]"});
    }
  }
  return records;
}

Status write_pipeline(const std::filesystem::path& directory, std::uint32_t rank,
                      const std::vector<StepTicks>& steps) {
  const auto path = [&](std::string_view stem, std::string_view suffix) {
    return directory / ms::ranked_file(stem, rank, suffix);
  };
  const std::size_t samples = steps.size();
  NPUPROF_RETURN_IF_ERROR(
      write_file(path(ms::kPipelineStem, ".json"), to_json(pipeline_file(samples))));
  NPUPROF_RETURN_IF_ERROR(
      write_file(path(ms::kPipelineCpuStem, ".json"), to_json(processor_file(samples))));
  return write_file(path(ms::kDatasetIteratorStem, ".txt"), iterator_trace(samples));
}

}  // namespace npuprof::sim
