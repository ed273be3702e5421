#include "report/csv/mindspore_csv.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "format/mindspore/op_range.h"
#include "report/tables/text_table.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/mindspore_ops.h"

namespace npuprof::report {
namespace {

using trace::Trace;

// An operation of the data pipeline, as often as it was done alike.
struct DatasetRow {
  std::string_view operation;
  std::string_view stage;
  std::string custom_info;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;

  // Two decimals, one at least.
  void put_average(TextBuffer& out) const {
    out.rounded(static_cast<double>(total_ns) / 1e3 / static_cast<double>(count), 2, true);
  }
};

// "batch_size:2;shape:4" as {'batch_size': '2', 'shape': '4'}.
std::string custom_info_text(std::string_view info) {
  if (info.empty()) return {};
  std::string text = "{";
  for (const std::string_view pair : split(info, ';')) {
    if (text.size() > 1) text += ", ";
    const std::size_t colon = pair.find(':');
    text.append("'").append(pair.substr(0, colon)).append("': '");
    if (colon != std::string_view::npos) text.append(pair.substr(colon + 1));
    text += '\'';
  }
  return text + "}";
}

std::vector<DatasetRow> dataset_rows(const Trace& trace) {
  const auto module = trace.strings.find(format::mindspore::kDatasetModule);
  std::vector<DatasetRow> rows;
  if (!module) return rows;
  const trace::MindSporeOps& details = trace.mindspore_ops();
  std::map<std::tuple<StringId, StringId, StringId>, std::size_t> known;
  for (std::size_t i = 0; i < details.size(); ++i) {
    if (details.module[i] != *module) continue;
    const std::int64_t length =
        trace.framework_ops().end_ns[details.op[i]] - trace.framework_ops().start_ns[details.op[i]];
    if (length <= 0) continue;
    const auto [place, is_new] = known.try_emplace(
        {details.event[i], details.brief_name[i], details.custom_info[i]}, rows.size());
    if (is_new) {
      rows.push_back({trace.strings.view(details.event[i]),
                      trace.strings.view(details.brief_name[i]),
                      custom_info_text(trace.strings.view(details.custom_info[i]))});
    }
    ++rows[place->second].count;
    rows[place->second].total_ns += length;
  }
  return rows;
}

constexpr auto kDatasetTable =
    text_table("dataset",  //
               column(TextColumn{"Operation"}, &DatasetRow::operation),
               column(TextColumn{"Stage"}, &DatasetRow::stage),
               column(TextColumn{"Occurrences"}, &DatasetRow::count),
               column(TextColumn{"Avg. time (us)"},
                      [](TextBuffer& out, const DatasetRow& row) { row.put_average(out); }),
               column(TextColumn{"Custom Info"},
                      [](const DatasetRow& row) { return std::string_view(row.custom_info); }));

using trace::LaunchShapes;
constexpr auto kLaunchShapeTable =
    text_table("operator_details",  //
               column(TextColumn{"Name"}, text_cell(&LaunchShapes::name)),
               column(TextColumn{"Input Shapes"}, text_cell(&LaunchShapes::shapes)));

// The words in which the two forms of the summary are written.
class SummaryWriter {
 public:
  virtual ~SummaryWriter() = default;
  virtual void begin(std::string_view key) = 0;
  virtual void value(std::string_view text) = 0;  // A number, or a list of them.
  virtual void text(std::string_view text) = 0;
  virtual void end() = 0;
};

class SummaryCsv : public SummaryWriter {
 public:
  explicit SummaryCsv(std::string_view line_end) : line_end_(line_end) {}
  void begin(std::string_view key) override { out_.text(key); }
  void value(std::string_view text) override { out_.character(',').csv(text); }
  void text(std::string_view text) override { out_.character(',').csv(text); }
  void end() override { out_.text(line_end_); }
  std::string take() const { return std::string(out_.view()); }

 private:
  std::string_view line_end_;
  TextBuffer out_;
};

class SummaryJson : public SummaryWriter {
 public:
  void begin(std::string_view key) override {
    out_.append(out_.empty() ? "{\"" : ", \"").append(key).append("\": [");
    is_first_ = true;
  }
  void value(std::string_view text) override {
    separate();
    out_.append(text);
  }
  void text(std::string_view text) override {
    separate();
    TextBuffer buffer;
    buffer.json(text);
    out_.append(buffer.view());
  }
  void end() override { out_ += ']'; }
  std::string take() { return out_.empty() ? "{}" : std::move(out_) + "}"; }

 private:
  void separate() {
    if (!is_first_) out_ += ", ";
    is_first_ = false;
  }

  std::string out_;
  bool is_first_ = true;
};

// "0.25", "8.0", and "-1" for what is not known.
std::string measure_text(double value) {
  if (value == analyze::kUnknownMeasure) return "-1";
  std::string text;
  append_double(text, value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

template <typename Values>
std::string list_text(const Values& values) {
  std::string text = "[";
  for (const auto value : values) {
    if (text.size() > 1) text += ", ";
    append_integer(text, value);
  }
  return text + "]";
}

using analyze::DataPipeline;
using analyze::PipelineOperator;

std::vector<std::int64_t> ids_of(const DataPipeline& pipeline,
                                 const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> ids;
  for (const std::uint32_t row : rows) ids.push_back(pipeline.operators[row].id);
  return ids;
}

void describe_summary(const DataPipeline& pipeline, SummaryWriter& out) {
  const auto line = [&](std::string_view key, auto put) {
    out.begin(key);
    for (const PipelineOperator& op : pipeline.operators) put(op);
    out.end();
  };
  const auto measures = [&](std::string_view key, double PipelineOperator::*member) {
    line(key, [&](const PipelineOperator& op) { out.value(measure_text(op.*member)); });
  };
  const auto number = [&](std::string_view key, double value) {
    out.begin(key);
    out.value(measure_text(value));
    out.end();
  };
  const auto texts = [&](std::string_view key, const std::vector<std::string>& list) {
    if (list.empty()) return;
    out.begin(key);
    for (const std::string& text : list) out.text(text);
    out.end();
  };
  line("op_ids", [&](const auto& op) { out.value(std::to_string(op.id)); });
  line("op_names", [&](const auto& op) { out.text(op.name); });
  line("pipeline_ops", [&](const auto& op) { out.text(op.label); });
  line("num_workers", [&](const auto& op) { out.value(std::to_string(op.workers)); });
  measures("queue_average_size", &PipelineOperator::queue_average);
  measures("queue_utilization_pct", &PipelineOperator::queue_used_percent);
  measures("queue_empty_freq_pct", &PipelineOperator::queue_empty_percent);
  line("children_ids",
       [&](const auto& op) { out.value(list_text(ids_of(pipeline, op.children))); });
  line("parent_id", [&](const auto& op) {
    out.value(op.parent == trace::kNone ? "-1" : std::to_string(pipeline.operators[op.parent].id));
  });
  measures("avg_cpu_pct", &PipelineOperator::cpu_percent);
  number("per_pipeline_time", pipeline.pipeline_ms);
  number("per_push_queue_time", pipeline.push_ms);
  number("per_batch_time", pipeline.batch_ms);
  measures("avg_cpu_pct_per_worker", &PipelineOperator::cpu_percent_per_worker);
  texts("cpu_analysis_details", pipeline.cpu_findings);
  texts("queue_analysis_details", pipeline.queue_findings);
  if (pipeline.bottleneck == trace::kNone) return;
  texts("bottleneck_warning", {pipeline.operators[pipeline.bottleneck].label});
  texts("bottleneck_suggestion", {pipeline.suggestion});
}

// Children with a queue; those without are passed through.
std::vector<std::uint32_t> queued_children(const DataPipeline& pipeline,
                                           const PipelineOperator& op) {
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> waiting = op.children;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const PipelineOperator& child = pipeline.operators[waiting[i]];
    if (child.has_queue()) {
      found.push_back(waiting[i]);
    } else {
      waiting.insert(waiting.end(), child.children.begin(), child.children.end());
    }
  }
  return found;
}

void append_raw_row(const DataPipeline& pipeline, const PipelineOperator& op,
                    std::optional<std::int64_t> parent, const std::vector<std::uint32_t>& children,
                    SummaryWriter& out) {
  const bool is_sampled = op.has_queue() && !op.queue_sizes.empty();
  double average = 0;
  for (const std::int64_t size : op.queue_sizes) average += static_cast<double>(size);
  if (is_sampled) average /= static_cast<double>(op.queue_sizes.size());
  out.begin(std::to_string(op.id));
  out.text(op.type);
  out.value(std::to_string(op.workers));
  out.value(op.has_queue() ? list_text(op.queue_sizes) : "");
  out.value(is_sampled ? measure_text(average) : "");
  out.value(op.has_queue() ? std::to_string(op.queue_length) : "");
  const bool has_rate = is_sampled && op.queue_length > 0;
  out.value(has_rate ? measure_text(average / static_cast<double>(op.queue_length)) : "");
  out.value(std::to_string(op.sample_interval_ms));
  out.value(parent ? std::to_string(*parent) : "");
  out.value(children.empty() ? "" : list_text(ids_of(pipeline, children)));
  out.end();
}

}  // namespace

Status write_dataset(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kDatasetTable>(dataset_rows(trace), target, pool);
}

Status write_launch_shapes(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const AllRows<LaunchShapes> rows{trace.launch_shapes(), &trace.strings};
  return write_text_table<kLaunchShapeTable>(rows, target, pool);
}

// Breadth first from the consumer.
std::string pipeline_raw_csv(const DataPipeline& pipeline, std::string_view line_end) {
  SummaryCsv out(line_end);
  out.begin("op_id");
  for (const char* const name :
       {"op_type", "num_workers", "output_queue_size", "output_queue_average_size",
        "output_queue_length", "output_queue_usage_rate", "sample_interval", "parent_id",
        "children_id"}) {
    out.text(name);
  }
  out.end();
  struct Place {
    std::uint32_t row;
    std::optional<std::int64_t> parent;
  };
  std::vector<Place> waiting;
  for (std::uint32_t row = 0; row < pipeline.operators.size(); ++row) {
    if (pipeline.operators[row].parent == trace::kNone) waiting.push_back({row, std::nullopt});
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto [row, parent] = waiting[i];
    const PipelineOperator& op = pipeline.operators[row];
    const std::vector<std::uint32_t> children = queued_children(pipeline, op);
    append_raw_row(pipeline, op, parent, children, out);
    for (const std::uint32_t child : children) waiting.push_back({child, op.id});
  }
  return out.take();
}

std::string pipeline_summary_csv(const DataPipeline& pipeline, std::string_view line_end) {
  SummaryCsv out(line_end);
  describe_summary(pipeline, out);
  return out.take();
}

std::string pipeline_summary_json(const DataPipeline& pipeline) {
  SummaryJson out;
  describe_summary(pipeline, out);
  return out.take();
}

Status write_data_pipeline(const Trace& trace, const CsvTarget& target) {
  const DataPipeline pipeline = analyze::data_pipeline(trace);
  if (pipeline.empty()) return ok_status();
  const std::string rank = std::to_string(std::max(trace.session.rank, 0));
  const auto path_of = [&](std::string_view stem, std::string_view suffix) {
    return target.directory / (std::string(stem) + rank + std::string(suffix));
  };
  NPUPROF_RETURN_IF_ERROR(write_file(path_of("minddata_pipeline_raw_", ".csv"),
                                     pipeline_raw_csv(pipeline, target.line_end)));
  NPUPROF_RETURN_IF_ERROR(write_file(path_of("minddata_pipeline_summary_", ".csv"),
                                     pipeline_summary_csv(pipeline, target.line_end)));
  return write_file(path_of("minddata_pipeline_summary_", ".json"),
                    pipeline_summary_json(pipeline));
}

}  // namespace npuprof::report
