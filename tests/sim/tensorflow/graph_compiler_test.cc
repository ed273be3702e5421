#include "sim/tensorflow/graph_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/tensorflow/operator_table.h"

namespace npuprof::sim::tensorflow {
namespace {

using ::testing::ElementsAre;

const ChipSpec& chip() { return **find_chip("Ascend910B3"); }

TensorDesc tensor(std::vector<std::uint32_t> shape) {
  return {.type = ElementType::kFloat32, .shape = std::move(shape)};
}

GraphOp op(std::string name, std::string type, std::vector<std::size_t> from) {
  GraphOp made{.name = std::move(name), .type = std::move(type)};
  for (const std::size_t place : from) made.inputs.push_back({.from = place});
  made.input_tensors.assign(from.size(), tensor({16, 16}));
  made.output_tensors = {tensor({16, 16})};
  return made;
}

std::vector<std::string> names_of(const std::vector<CompiledNode>& nodes) {
  std::vector<std::string> names;
  for (const CompiledNode& node : nodes) names.push_back(node.node.name);
  return names;
}

std::vector<std::size_t> sources_of(const CompiledNode& node) {
  std::vector<std::size_t> places;
  for (const GraphEdge& edge : node.node.inputs) places.push_back(edge.from);
  return places;
}

TEST(GraphCompiler, WhatHasNoTaskIsRemovedAndItsUsersTakeWhatItTook) {
  const std::vector<GraphOp> ops = {op("x", "Placeholder", {}), op("w", "Const", {}),
                                    op("same", "Identity", {0}), op("add", "AddV2", {2, 1}),
                                    op("group", "NoOp", {3, 2})};
  const auto nodes = compile(chip(), ops, std::vector<std::size_t>{4});
  ASSERT_THAT(names_of(nodes), ElementsAre("x", "add", "Node_Output"));
  EXPECT_EQ(nodes[0].node.type, "Data");
  EXPECT_FALSE(nodes[0].kernel);
  EXPECT_EQ(nodes[1].node.type, "Add");
  EXPECT_EQ(nodes[1].node.original_type, "AddV2");
  EXPECT_THAT(sources_of(nodes[1]), ElementsAre(0));
  EXPECT_THAT(sources_of(nodes[2]), ElementsAre(1, 0));
  EXPECT_EQ(nodes[2].node.inputs[0].output, GraphEdge::kControl);
}

TEST(GraphCompiler, ABiasIsFusedIntoTheProductBeforeIt) {
  const std::vector<GraphOp> ops = {op("x", "Placeholder", {}), op("mm", "MatMul", {0, 0}),
                                    op("bias", "BiasAdd", {1}), op("relu", "Relu", {2})};
  const auto nodes = compile(chip(), ops, std::vector<std::size_t>{3});
  ASSERT_THAT(names_of(nodes), ElementsAre("x", "mmbias", "relu", "Node_Output"));
  EXPECT_THAT(nodes[1].node.original_names, ElementsAre("mm", "bias"));
  ASSERT_TRUE(nodes[1].kernel);
  EXPECT_EQ(nodes[1].kernel->type, "MatMulV2");
  EXPECT_EQ(nodes[1].kernel->name, "mmbias");
  EXPECT_GT(nodes[1].kernel->cube_flops, 0);
}

TEST(GraphCompiler, WhatOthersNeedTooIsNotFused) {
  const std::vector<GraphOp> ops = {op("x", "Placeholder", {}), op("mm", "MatMul", {0, 0}),
                                    op("bias", "BiasAdd", {1}), op("other", "Relu", {1})};
  const auto nodes = compile(chip(), ops, std::vector<std::size_t>{2, 3});
  EXPECT_THAT(names_of(nodes), ElementsAre("x", "mm", "bias", "other", "Node_Output"));
}

TEST(GraphCompiler, AnOperatorWithoutElementsHasNoTask) {
  std::vector<GraphOp> ops = {op("x", "Placeholder", {}), op("nothing", "AddV2", {0})};
  ops[1].input_tensors = {tensor({0})};
  ops[1].output_tensors = {tensor({0, 4})};
  const auto nodes = compile(chip(), ops, std::vector<std::size_t>{1});
  EXPECT_THAT(names_of(nodes), ElementsAre("x", "Node_Output"));
  EXPECT_THAT(sources_of(nodes[1]), ElementsAre(0));
}

TEST(OperatorTable, WorkFollowsFromShapes) {
  const auto kernel =
      kernel_of(chip(), "conv", "Conv2D", {tensor({8, 32, 32, 3}), tensor({3, 3, 3, 64})},
                {tensor({8, 32, 32, 64})});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->cube_flops, 2.0 * 8 * 32 * 32 * 64 * 3 * 3 * 3);
  const auto gradient = kernel_of(chip(), "dw", "Conv2DBackpropFilter",
                                  {tensor({8, 32, 32, 3}), tensor({4}), tensor({8, 32, 32, 64})},
                                  {tensor({3, 3, 3, 64})});
  ASSERT_TRUE(gradient);
  EXPECT_EQ(gradient->cube_flops, kernel->cube_flops);
  EXPECT_EQ(gradient->type, "Conv2DBackpropFilter");
}

TEST(OperatorTable, UnknownOperatorsGoOverTheirTensorsOnce) {
  const auto kernel = kernel_of(chip(), "n", "MyOwnOp", {tensor({128})}, {tensor({128})});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->type, "MyOwnOp");
  EXPECT_GT(kernel->bytes_read, 0);
  EXPECT_EQ(operator_kind("MyOwnOp"), OperatorKind::kTask);
}

TEST(OperatorTable, BatchesComeFromTheAiCpu) {
  const auto kernel = kernel_of(chip(), "n", "IteratorGetNext", {}, {tensor({64, 784})});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->kind, KernelCore::kAicpu);
  EXPECT_EQ(kernel->type, "GetNext");
}

}  // namespace
}  // namespace npuprof::sim::tensorflow
