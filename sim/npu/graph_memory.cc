#include "sim/npu/graph_memory.h"

#include <algorithm>

#include "sim/npu/kernel_template.h"

namespace npuprof::sim {
namespace {

std::uint64_t output_bytes(const KernelDesc& kernel) {
  std::uint64_t bytes = 0;
  for (const TensorDesc& tensor : kernel.tensors) {
    if (!tensor.is_output) continue;
    std::uint64_t size = bytes_per_element(tensor.type);
    for (const std::uint32_t dimension : tensor.shape) size *= dimension;
    bytes += size;
  }
  return bytes;
}

}  // namespace

MemoryPlan plan_memory(std::span<const GraphOperator> nodes) {
  std::vector<std::size_t> last_use(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    last_use[i] = i;
    for (const GraphEdge& edge : nodes[i].inputs) {
      if (edge.output != GraphEdge::kControl) last_use[edge.from] = i;
    }
  }
  MemoryPlan plan;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint64_t bytes =
        nodes[i].kernel == nullptr ? 0 : output_bytes(nodes[i].kernel->desc());
    if (bytes > 0) plan.blocks.push_back({.node = i, .last_use = last_use[i], .bytes = bytes});
  }
  std::vector<std::uint64_t> ending(nodes.size());  // What is free after each node.
  for (const PlannedBlock& block : plan.blocks) ending[block.last_use] += block.bytes;
  std::uint64_t used = 0;
  auto next = plan.blocks.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (; next != plan.blocks.end() && next->node == i; ++next) used += next->bytes;
    plan.peak_bytes = std::max(plan.peak_bytes, used);
    used -= ending[i];
  }
  return plan;
}

}  // namespace npuprof::sim
