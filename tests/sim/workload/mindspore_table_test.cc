#include "sim/workload/mindspore_table.h"

#include <utility>

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

TensorDesc input_of(Shape shape) {
  return {.is_output = false, .type = ElementType::kFloat32, .shape = std::move(shape)};
}

class MindSporeTable : public ::testing::Test {
 protected:
  std::optional<Operator> find(std::string_view name, std::vector<TensorDesc> inputs) {
    return mindspore_operator(chip_, {.name = name, .inputs = std::move(inputs)});
  }
  const ChipSpec& chip_ = **find_chip("910B3");
};

TEST_F(MindSporeTable, ProductsCountTheirWorkWhicheverOperandIsTransposed) {
  const std::pair<Shape, Shape> operands[] = {
      {{32, 8}, {8, 16}}, {{32, 8}, {16, 8}}, {{8, 32}, {8, 16}}};
  for (const auto& [left, right] : operands) {
    const auto op = find("MatMul", {input_of(left), input_of(right), input_of({}), input_of({})});
    ASSERT_TRUE(op.has_value());
    ASSERT_EQ(op->kernels.size(), 1u);
    EXPECT_EQ(op->kernels[0].type, "MatMulV3");
    EXPECT_EQ(op->kernels[0].cube_flops, 2.0 * 32 * 8 * 16);
    EXPECT_EQ(op->kernels[0].tensors.back().shape, (Shape{32, 16}));
  }
}

TEST_F(MindSporeTable, OthersGoOverTheirTensorsOnce) {
  const auto op = find("BiasAddGrad", {input_of({64, 128}), input_of({})});
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->call, "aclnnBiasAddGrad");
  EXPECT_EQ(op->kernels[0].type, "BiasAddGrad");
  EXPECT_GT(op->kernels[0].vector_operations, 0);
  EXPECT_EQ(find("ReduceMean", {input_of({64, 128})})->kernels[0].tensors.back().shape, (Shape{1}));
}

TEST_F(MindSporeTable, WithoutShapesAKernelTakesItsOverheadOnly) {
  for (const auto& op : {find("MatMul", {}), find("Mul", {input_of({})}),
                         find("MatMul", {input_of({3, 5}), input_of({7, 11})})}) {
    ASSERT_TRUE(op.has_value());
    ASSERT_EQ(op->kernels.size(), 1u);
    EXPECT_EQ(op->kernels[0].cube_flops + op->kernels[0].vector_operations, 0);
    EXPECT_TRUE(op->kernels[0].tensors.empty());
  }
}

TEST_F(MindSporeTable, ViewsLaunchNothing) {
  for (const char* name : {"Reshape", "TupleGetItem", ""}) {
    EXPECT_FALSE(find(name, {input_of({4, 4})}).has_value()) << name;
  }
}

}  // namespace
}  // namespace npuprof::sim
