#include "answers/data_pipeline_answer.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "analyze/pipeline_operators.h"
#include "base/units.h"

namespace npuprof::answers {
namespace {

using analyze::DataPipeline;
using analyze::kUnknownMeasure;
using analyze::PipelineOperator;

std::optional<double> known(double measure) {
  return measure == kUnknownMeasure ? std::nullopt : std::optional(measure);
}
std::optional<double> known_share(double percent) {
  return percent == kUnknownMeasure ? std::nullopt : std::optional(percent / kPercent);
}

Table operator_table(const DataPipeline& pipeline) {
  Table table("data_pipeline", "Operators of the data pipeline, from the consumer to the sources");
  table.integer("op_id", "Id");
  table.text("operator", "Operator");
  table.integer("parent_id", "Feeds");
  table.integer("workers", "Workers");
  table.integer("queue_length", "Queue");
  table.real("queue_average", "Average in queue");
  table.share("queue_used", "Queue used");
  table.share("queue_empty", "Queue empty");
  table.share("cpu_per_worker", "CPU per worker");
  table.text("bottleneck", "Bottleneck");
  for (std::size_t row = 0; row < pipeline.operators.size(); ++row) {
    const PipelineOperator& op = pipeline.operators[row];
    const auto parent =
        op.parent == trace::kNone ? std::nullopt : std::optional(pipeline.operators[op.parent].id);
    table.row(op.id, op.name, parent, op.workers,
              op.has_queue() ? std::optional(op.queue_length) : std::nullopt,
              known(op.queue_average), known_share(op.queue_used_percent),
              known_share(op.queue_empty_percent), known_share(op.cpu_percent_per_worker),
              row == pipeline.bottleneck ? "yes" : "");
  }
  table.usual_rows = 0;
  return table;
}

Table advice_table(const DataPipeline& pipeline) {
  Table table("data_pipeline_advice", "What the operators tell");
  table.text("about", "About");
  table.text("advice", "Advice");
  for (const std::string& text : pipeline.cpu_findings) table.row("processors", text);
  for (const std::string& text : pipeline.queue_findings) table.row("queues", text);
  table.usual_rows = 0;
  return table;
}

// Which operator the device waits for, if it waits at all.
std::string starving_sentence(const DataPipeline& pipeline) {
  const PipelineOperator* emptiest = nullptr;
  for (const PipelineOperator& op : pipeline.operators) {
    if (op.queue_empty_percent == kUnknownMeasure) continue;
    emptiest = &op;  // The first one with a queue is what the consumer takes from.
    break;
  }
  if (emptiest == nullptr) return "No queue of the pipeline was sampled.";
  return fmt::format("The consumer finds the queue of {} empty in {:.1f} % of the samples: {}",
                     emptiest->label, emptiest->queue_empty_percent,
                     emptiest->queue_empty_percent > 0 ? "it has to wait for data."
                                                       : "it need not wait for data.");
}

Result<Answer> answer_data_pipeline(const Request& request) {
  const DataPipeline pipeline = analyze::data_pipeline(request.trace);
  if (pipeline.empty()) {
    return Error{ErrorCode::kNoData, "the profile has no records of a data pipeline"};
  }
  Answer answer;
  if (pipeline.bottleneck != trace::kNone) {
    answer.sentences.push_back(
        fmt::format("The bottleneck is {}.", pipeline.operators[pipeline.bottleneck].label));
    answer.sentences.push_back(pipeline.suggestion);
  } else {
    answer.sentences.emplace_back("No operator of the pipeline is a bottleneck.");
  }
  answer.sentences.push_back(starving_sentence(pipeline));
  if (pipeline.batch_ms != kUnknownMeasure) {
    answer.sentences.push_back(
        fmt::format("A batch takes {:.1f} ms on average; {:.1f} ms of it the pipeline.",
                    pipeline.batch_ms, pipeline.pipeline_ms));
  } else if (pipeline.pipeline_ms != kUnknownMeasure) {
    answer.sentences.push_back(
        fmt::format("The pipeline takes {:.1f} ms for a batch on average, handing it on {:.1f} ms.",
                    pipeline.pipeline_ms, std::max(pipeline.push_ms, 0.0)));
  }
  answer.tables.push_back(operator_table(pipeline));
  Table advice = advice_table(pipeline);
  if (advice.size() > 0) answer.tables.push_back(std::move(advice));
  return answer;
}

}  // namespace

const Mode kDataPipelineMode = {
    .name = "data_pipeline",
    .question =
        "MindSpore: which operator of the data pipeline do the others and the device wait "
        "for?",
    .explains =
        "A full queue says that who takes from it is slow, an empty one that who fills it is. "
        "Together with the processors that the workers use this tells the bottleneck and what to "
        "try. Thresholds are those of MindSpore's own analysis.",
    .needs = "queue lengths and processor usage of MindSpore's data pipeline",
    .collect = "profile with data_process=True and without a schedule",
    .reads = {trace::Part::kDetails},
    .options = {},
    .answer = answer_data_pipeline,
};

}  // namespace npuprof::answers
