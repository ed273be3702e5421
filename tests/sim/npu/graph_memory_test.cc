#include "sim/npu/graph_memory.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/npu/npu_fixture.h"

namespace npuprof::sim {
namespace {

class GraphMemory : public ::testing::Test {
 protected:
  // A node whose kernel makes so many bytes; none: it has no kernel.
  std::size_t node(std::uint32_t bytes, std::vector<GraphEdge> inputs = {}) {
    GraphOperator made{.inputs = std::move(inputs)};
    if (bytes > 0) {
      KernelDesc desc;
      desc.name = "kernel";
      desc.tensors = {{.type = ElementType::kFloat32, .shape = {1000}},
                      {.is_output = true, .type = ElementType::kInt8, .shape = {bytes / 2, 2}}};
      made.kernel = &recording_.npu().kernels().add(std::move(desc));
    }
    nodes_.push_back(std::move(made));
    return nodes_.size() - 1;
  }

  testing::Recording recording_;
  std::vector<GraphOperator> nodes_;
};

TEST_F(GraphMemory, RoomIsKeptUntilTheLastOperatorThatTakesIt) {
  const std::size_t data = node(100);
  const std::size_t middle = node(30, {{.from = data}});
  node(20, {{.from = middle}});
  node(10, {{.from = data}});
  node(50);
  const MemoryPlan plan = plan_memory(nodes_);
  std::vector<std::size_t> last_uses;
  for (const PlannedBlock& block : plan.blocks) last_uses.push_back(block.last_use);
  EXPECT_THAT(last_uses, ::testing::ElementsAre(3, 2, 2, 3, 4));
  EXPECT_EQ(plan.blocks[1].bytes, 30u);
  EXPECT_EQ(plan.peak_bytes, 150u);  // While the third one runs.
}

TEST_F(GraphMemory, WhatOnlyWaitsTakesNothing) {
  const std::size_t data = node(100);
  const std::size_t nothing = node(0, {{.from = data}});
  node(10, {{.from = data, .output = GraphEdge::kControl}, {.from = nothing}});
  const MemoryPlan plan = plan_memory(nodes_);
  ASSERT_EQ(plan.blocks.size(), 2u);
  EXPECT_EQ(plan.blocks[0].last_use, nothing);
  EXPECT_EQ(plan.blocks[1].node, 2u);
  EXPECT_EQ(plan.peak_bytes, 100u);
  EXPECT_EQ(plan_memory({}).peak_bytes, 0u);
}

}  // namespace
}  // namespace npuprof::sim
