#pragma once

// What MindSpore of 2020 told the collector about the operators of a graph, as text with a line for
// each: `Framework.host.vm.task_desc_info` and `Framework.host.vm.graph_desc_info`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuprof::format::host {

// `Default/network/Mul-op29 1 30093 3`: which task runs an operator. The view points into the line.
struct GraphTask {
  std::string_view op_name;
  std::uint32_t block_num = 0;
  std::uint32_t task = 0;
  std::uint32_t stream = 0;  // The framework's number, not that of the device.
};
std::optional<GraphTask> parse_graph_task(std::string_view line);
void append_graph_task(std::string& text, const GraphTask& task);

// `op_name:Default/Mul-op29 op_type:Mul input_id:0 input_format:NC1HWC0 input_data_type:40
// input_shape:"2,3" ... output_id:0 ...`, in one line.
struct GraphTensor {
  std::string_view format;
  std::uint32_t data_type = 0;
  std::string_view shape;  // Without quotation marks.
};
struct GraphNode {
  std::string_view op_name;
  std::string_view op_type;
  std::vector<GraphTensor> inputs;
  std::vector<GraphTensor> outputs;
};
// Fills `node`, whose memory is used again; false if the line describes no operator.
bool parse_graph_node(std::string_view line, GraphNode& node);
void append_graph_node(std::string& text, const GraphNode& node);

// Numbers of data types moved up by three with MindSpore 1.0.
enum class GraphTypeNumbers : std::uint8_t { kBefore1_0, kSince1_0 };
// Numbers that only the later ones use.
constexpr bool is_later_data_type(std::uint32_t number) { return number >= 42 && number <= 44; }
// "FLOAT16"; empty for a number that is not known.
std::string_view graph_data_type_name(std::uint32_t number, GraphTypeNumbers numbers);

}  // namespace npuprof::format::host
