#include "format/host/graph_text.h"

#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace npuprof::format::host {
namespace {

// Takes the last word off `line`.
std::optional<std::uint32_t> take_last_number(std::string_view& line) {
  const std::size_t blank = line.find_last_of(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(line.substr(blank + 1));
  line = trim(line.substr(0, blank));
  return number;
}

std::string_view without_marks(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

// `input_shape:"2,3"` as part of the tensor that is described last.
bool add_to_tensor(std::string_view key, std::string_view value, GraphNode& node) {
  constexpr std::string_view kInput = "input_";
  constexpr std::string_view kOutput = "output_";
  const bool is_input = key.starts_with(kInput);
  if (!is_input && !key.starts_with(kOutput)) return false;
  key.remove_prefix(is_input ? kInput.size() : kOutput.size());
  std::vector<GraphTensor>& tensors = is_input ? node.inputs : node.outputs;
  if (key == "id") {
    tensors.emplace_back();
    return true;
  }
  if (tensors.empty()) return false;
  GraphTensor& tensor = tensors.back();
  if (key == "format") tensor.format = value;
  if (key == "data_type") tensor.data_type = parse_number<std::uint32_t>(value).value_or(0);
  if (key == "shape") tensor.shape = without_marks(value);
  return true;
}

}  // namespace

std::optional<GraphTask> parse_graph_task(std::string_view line) {
  line = trim(line);
  const auto stream = take_last_number(line);
  const auto task = take_last_number(line);
  const auto blocks = take_last_number(line);
  if (!stream || !task || !blocks || line.empty()) return std::nullopt;
  return GraphTask{line, *blocks, *task, *stream};
}

void append_graph_task(std::string& text, const GraphTask& task) {
  fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", task.op_name, task.block_num, task.task,
                 task.stream);
}

bool parse_graph_node(std::string_view line, GraphNode& node) {
  node.op_name = {};
  node.op_type = {};
  node.inputs.clear();
  node.outputs.clear();
  for (const std::string_view part : split(trim(line), ' ')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = part.substr(0, colon);
    const std::string_view value = part.substr(colon + 1);
    if (key == "op_name") {
      node.op_name = value;
    } else if (key == "op_type") {
      node.op_type = value;
    } else {
      add_to_tensor(key, value, node);
    }
  }
  return !node.op_name.empty();
}

void append_graph_node(std::string& text, const GraphNode& node) {
  auto to = std::back_inserter(text);
  fmt::format_to(to, "op_name:{} op_type:{}", node.op_name, node.op_type);
  const auto put = [&](std::string_view direction, const std::vector<GraphTensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      fmt::format_to(to, " {0}_id:{1} {0}_format:{2} {0}_data_type:{3} {0}_shape:\"{4}\"",
                     direction, i, tensors[i].format, tensors[i].data_type, tensors[i].shape);
    }
  };
  put("input", node.inputs);
  put("output", node.outputs);
  text += '\n';
}

std::string_view graph_data_type_name(std::uint32_t number, GraphTypeNumbers numbers) {
  constexpr std::string_view kNames[] = {"BOOL",   "INT",   "INT8",    "INT16",   "INT32",
                                         "INT64",  "UINT",  "UINT8",   "UINT16",  "UINT32",
                                         "UINT64", "FLOAT", "FLOAT16", "FLOAT32", "FLOAT64"};
  const std::uint32_t first = numbers == GraphTypeNumbers::kBefore1_0 ? 27 : 30;
  return number >= first && number - first < std::size(kNames) ? kNames[number - first]
                                                               : std::string_view();
}

}  // namespace npuprof::format::host
