// Graphs described by the program.

#include "include/npuprof/npusim.h"
#include "sim/cann/kernel_descriptions.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)

constexpr std::uint32_t kMostNodes = 100'000;
constexpr std::uint32_t kMostLoops = 1'000'000;
constexpr std::uint32_t kMostStreams = 56;

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

bool is_valid_node(const NpusimNode& node, std::uint32_t place) {
  if (node.name == nullptr || node.type == nullptr || *node.type == '\0') return false;
  if (node.stream >= kMostStreams) return false;
  if (node.original_name_count > 0 && node.original_names == nullptr) return false;
  for (std::uint32_t i = 0; i < node.original_name_count; ++i) {
    if (node.original_names[i] == nullptr) return false;
  }
  if (node.input_count > 0 && (node.input_nodes == nullptr || node.input_outputs == nullptr)) {
    return false;
  }
  for (std::uint32_t i = 0; i < node.input_count; ++i) {
    if (node.input_nodes[i] >= place) return false;
  }
  return node.kernel == nullptr || is_valid(*node.kernel);
}

bool is_valid_graph(const NpusimGraph& graph) {
  if (graph.name == nullptr || graph.nodes == nullptr || graph.node_count == 0) return false;
  if (graph.node_count > kMostNodes || graph.loops == 0 || graph.loops > kMostLoops) return false;
  for (std::uint32_t i = 0; i < graph.node_count; ++i) {
    if (!is_valid_node(graph.nodes[i], i)) return false;
  }
  return true;
}

GraphOperator node_of(DeviceState& device, const NpusimNode& node) {
  GraphOperator result{
      .name = node.name,
      .type = node.type,
      .original_type = text_or_empty(node.original_type),
      .original_names = {node.original_names, node.original_names + node.original_name_count},
      .stream = node.stream,
      .kernel = nullptr,
      .is_global_step = node.is_global_step != 0};
  for (std::uint32_t i = 0; i < node.input_count; ++i) {
    result.inputs.push_back({.from = node.input_nodes[i], .output = node.input_outputs[i]});
  }
  if (node.kernel != nullptr) result.kernel = known_kernel(device, *node.kernel);
  return result;
}

}  // namespace

extern "C" {

aclError npusimLoadGraph(const NpusimGraph* graph, uint32_t* model) {
  if (graph == nullptr || model == nullptr || !is_valid_graph(*graph)) {
    return NPUPROF_ACL_INVALID_PARAM;
  }
  return on_stream(nullptr,
                   [&](DeviceState& device, StreamNumber, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     GraphDesc desc{.name = graph->name,
                                    .points = {.forward = text_or_empty(graph->fp_point),
                                               .backward = text_or_empty(graph->bp_point)},
                                    .loops = graph->loops,
                                    .reports_steps = true,
                                    .queue = text_or_empty(graph->queue)};
                     for (std::uint32_t i = 0; i < graph->node_count; ++i) {
                       desc.nodes.push_back(node_of(device, graph->nodes[i]));
                     }
                     std::int64_t end_ns = begin_ns;
                     const auto loaded = device.npu.graphs().load(thread, desc, begin_ns, &end_ns);
                     if (!loaded.ok()) return {.code = NPUPROF_ACL_RT_NO_STREAM_RESOURCE};
                     *model = *loaded;
                     return {.end_ns = end_ns};
                   });
}

aclError npusimExecuteGraph(uint32_t model, aclrtStream stream) {
  return on_stream(stream,
                   [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     if (model >= device.npu.graphs().size()) {
                       return {.code = NPUPROF_ACL_INVALID_PARAM};
                     }
                     const auto run = device.npu.graphs().execute(thread, model, id, begin_ns);
                     if (!run.ok()) return {.code = NPUPROF_ACL_INTERNAL_ERROR};
                     return {.end_ns = run->host_end_ns};
                   });
}

}  // extern "C"
