#include "format/mindspore/data_pipeline.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "format/framework/json_object.h"

namespace npuprof::format::mindspore {
namespace {

using framework::internal::Json;
using framework::internal::ObjectReader;

// MindSpore writes without blanks, keys in alphabetical order.
constexpr JsonStyle kCompactStyle{.after_comma = "", .after_colon = ""};

// Of the keys that were to be taken those that are still there: their values have another type.
// Null is no value.
std::uint64_t not_taken(const ObjectReader& reader, std::initializer_list<const char*> keys) {
  return static_cast<std::uint64_t>(std::count_if(keys.begin(), keys.end(), [&](const char* key) {
    const Json* const value = reader.find(key);
    return value != nullptr && !value->is_null();
  }));
}

PipelineFile::Operator read_operator(Json object, std::uint64_t& odd_values) {
  PipelineFile::Operator op;
  ObjectReader reader(std::move(object));
  reader.take("op_id", op.id);
  reader.take("op_type", op.type);
  reader.take("num_workers", op.workers);
  reader.take("children", op.children);
  auto metrics = reader.take_object("metrics");
  odd_values += not_taken(reader, {"op_id", "op_type", "num_workers", "children", "metrics"});
  if (!metrics) return op;
  ObjectReader metrics_reader(std::move(*metrics));
  auto queue = metrics_reader.take_object("output_queue");
  odd_values += not_taken(metrics_reader, {"output_queue"});
  if (!queue || queue->empty()) return op;
  ObjectReader queue_reader(std::move(*queue));
  PipelineFile::Queue found;
  queue_reader.take("length", found.length);
  queue_reader.take("size", found.sizes);
  odd_values += not_taken(queue_reader, {"length", "size"});
  op.queue = std::move(found);
  return op;
}

Json write_operator(const PipelineFile::Operator& op) {
  Json object = Json::object();
  if (!op.children.empty()) object["children"] = op.children;
  object["metrics"] = nullptr;
  if (op.queue) {
    object["metrics"] = Json::object();
    object["metrics"]["output_queue"]["length"] = op.queue->length;
    object["metrics"]["output_queue"]["size"] = op.queue->sizes;
  }
  object["num_workers"] = op.workers;
  object["op_id"] = op.id;
  object["op_type"] = op.type;
  return object;
}

PipelineCpuFile::Usage read_usage(Json object, std::uint64_t& odd_values) {
  PipelineCpuFile::Usage usage;
  ObjectReader reader(std::move(object));
  reader.take("user_utilization", usage.user);
  reader.take("sys_utilization", usage.system);
  odd_values += not_taken(reader, {"user_utilization", "sys_utilization"});
  return usage;
}

Json write_usage(const PipelineCpuFile::Usage& usage) {
  Json object = Json::object();
  object["sys_utilization"] = usage.system;
  object["user_utilization"] = usage.user;
  return object;
}

void read_machine(Json object, PipelineCpuFile& file) {
  file.machine = read_usage(object, file.odd_values);
  ObjectReader reader(std::move(object));
  reader.take("context_switch_count", file.context_switches);
  reader.take("idle_utilization", file.idle);
  reader.take("io_utilization", file.waiting);
  reader.take("runnable_process", file.runnable_processes);
}

Json write_machine(const PipelineCpuFile& file) {
  Json object = Json::object();
  object["context_switch_count"] = file.context_switches;
  object["idle_utilization"] = file.idle;
  object["io_utilization"] = file.waiting;
  object["runnable_process"] = file.runnable_processes;
  object["sys_utilization"] = file.machine.system;
  object["user_utilization"] = file.machine.user;
  return object;
}

// The objects of the list "op_info"; nothing if there is no such list.
std::optional<std::vector<Json>> operators_of(const ObjectReader& reader,
                                              std::uint64_t& odd_values) {
  const Json* const list = reader.find("op_info");
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<Json> operators;
  for (const Json& item : *list) {
    if (item.is_object()) operators.push_back(item);
  }
  odd_values += list->size() - operators.size();
  return operators;
}

Error no_operators(std::string_view what) {
  return {ErrorCode::kCorrupt, fmt::format("{} has no list of operators", what)};
}

}  // namespace

Result<PipelineFile> parse_pipeline(std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(Json root,
                           framework::internal::parse_object(text, "pipeline_profiling"));
  ObjectReader reader(std::move(root));
  PipelineFile file;
  auto operators = operators_of(reader, file.odd_values);
  if (!operators) return no_operators("pipeline_profiling");
  reader.take("sampling_interval", file.sampling_interval_ms);
  file.odd_values += not_taken(reader, {"sampling_interval"});
  for (Json& op : *operators)
    file.operators.push_back(read_operator(std::move(op), file.odd_values));
  return file;
}

std::string to_json(const PipelineFile& file) {
  Json root = Json::object();
  root["op_info"] = Json::array();
  for (const auto& op : file.operators) root["op_info"].push_back(write_operator(op));
  root["sampling_interval"] = file.sampling_interval_ms;
  return to_text(root, kCompactStyle);
}

Result<PipelineCpuFile> parse_pipeline_cpu(std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(Json root,
                           framework::internal::parse_object(text, "minddata_cpu_utilization"));
  ObjectReader reader(std::move(root));
  PipelineCpuFile file;
  auto operators = operators_of(reader, file.odd_values);
  if (!operators) return no_operators("minddata_cpu_utilization");
  reader.take("cpu_processor_num", file.processors);
  if (auto machine = reader.take_object("device_info")) read_machine(std::move(*machine), file);
  for (Json& object : *operators) {
    PipelineCpuFile::Operator op;
    ObjectReader op_reader(std::move(object));
    op_reader.take("op_id", op.id);
    if (auto metrics = op_reader.take_object("metrics")) {
      op.usage = read_usage(std::move(*metrics), file.odd_values);
    }
    file.odd_values += not_taken(op_reader, {"op_id", "metrics"});
    file.operators.push_back(std::move(op));
  }
  if (auto process = reader.take_object("process_info")) {
    file.process = read_usage(std::move(*process), file.odd_values);
  }
  reader.take("sampling_interval", file.sampling_interval_ms);
  reader.take("time_stamp", file.times_ms);
  return file;
}

std::string to_json(const PipelineCpuFile& file) {
  Json root = Json::object();
  root["cpu_processor_num"] = file.processors;
  root["device_info"] = write_machine(file);
  root["op_info"] = Json::array();
  for (const auto& op : file.operators) {
    Json object = Json::object();
    object["metrics"] = write_usage(op.usage);
    object["op_id"] = op.id;
    root["op_info"].push_back(std::move(object));
  }
  root["process_info"] = write_usage(file.process);
  root["sampling_interval"] = file.sampling_interval_ms;
  root["time_stamp"] = file.times_ms;
  return to_text(root, kCompactStyle);
}

std::optional<PipelineTrace> parse_pipeline_trace(std::string_view line) {
  std::int64_t numbers[5] = {};
  std::size_t found = 0;
  for (const std::string_view word : split(trim(line), ' ')) {
    if (found == std::size(numbers)) break;  // What may follow is not known.
    const auto number = parse_number<std::int64_t>(word);
    if (!number) return std::nullopt;
    numbers[found++] = *number;
  }
  if (found != std::size(numbers) || numbers[0] < 0 || numbers[0] > 1) return std::nullopt;
  return PipelineTrace{.kind = static_cast<PipelineTrace::Kind>(numbers[0]),
                       .extra = numbers[1],
                       .batch = numbers[2],
                       .value = numbers[3],
                       .time_ms = numbers[4]};
}

void append_pipeline_trace(std::string& text, const PipelineTrace& trace) {
  fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", static_cast<int>(trace.kind),
                 trace.extra, trace.batch, trace.value, trace.time_ms);
}

}  // namespace npuprof::format::mindspore
