#pragma once

// From the graph of a TensorFlow program to the nodes that run on an NPU, in the manner of the
// graph engine: what has no task is removed, some operators are fused, and an output closes the
// graph.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/kernel.h"
#include "sim/npu/graph_points.h"

namespace npuprof::sim::tensorflow {

// An operator of the program, after all that it takes from.
struct GraphOp {
  std::string name{};
  std::string type{};
  std::vector<GraphEdge> inputs{};
  std::vector<TensorDesc> input_tensors{};
  std::vector<TensorDesc> output_tensors{};
  std::uint32_t stream = 0;
};

struct CompiledNode {
  GraphOperator node;  // Without its kernel, which no device knows yet.
  std::optional<KernelDesc> kernel;
};

// `outputs` are places of operators that the program asks for. Nothing of what they do not need is
// left out: that is up to the program.
std::vector<CompiledNode> compile(const ChipSpec& chip, std::span<const GraphOp> ops,
                                  std::span<const std::size_t> outputs);

}  // namespace npuprof::sim::tensorflow
