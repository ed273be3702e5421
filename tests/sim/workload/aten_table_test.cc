#include "sim/workload/aten_table.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

TensorDesc in(Shape shape, ElementType type = ElementType::kFloat32) {
  return {.is_output = false, .type = type, .shape = std::move(shape)};
}
TensorDesc out(Shape shape, ElementType type = ElementType::kFloat32) {
  return {.is_output = true, .type = type, .shape = std::move(shape)};
}

class AtenTable : public ::testing::Test {
 protected:
  std::optional<Operator> find(const AtenCall& call) { return aten_operator(chip_, call); }
  const ChipSpec& chip_ = **find_chip("910B3");
};

TEST_F(AtenTable, KnowsWhichOperatorsLaunchKernels) {
  for (const char* name : {"aten::mm", "aten::add", "aten::add_", "aten::_foreach_add_",
                           "aten::copy_", "aten::_log_softmax_backward_data"}) {
    EXPECT_TRUE(is_in_aten_table(name)) << name;
  }
  for (const char* name : {"aten::linear", "aten::view", "aten::empty", "AddmmBackward0", "mm",
                           "other::add", "Optimizer.step#SGD.step"}) {
    EXPECT_FALSE(is_in_aten_table(name)) << name;
  }
}

TEST_F(AtenTable, ProductsCountTheirWork) {
  const auto op = find({"aten::addmm", {in({16}), in({32, 8}), in({8, 16})}, {out({32, 16})}});
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->call, "aclnnAddmm");
  ASSERT_EQ(op->kernels.size(), 1u);
  const KernelDesc& kernel = op->kernels[0];
  EXPECT_EQ(kernel.name, "aclnnAddmm_MatMulV3Common_MatMulV3");
  EXPECT_EQ(kernel.type, "MatMulV3");
  EXPECT_EQ(kernel.kind, KernelCore::kAic);
  EXPECT_EQ(kernel.cube_flops, 2.0 * 32 * 8 * 16);
  ASSERT_EQ(kernel.tensors.size(), 4u);
  EXPECT_EQ(kernel.tensors[3].shape, (Shape{32, 16}));

  const auto batch = find({"aten::bmm", {in({4, 2, 3}), in({4, 3, 5})}, {out({4, 2, 5})}});
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->kernels[0].type, "BatchMatMulV3");
  EXPECT_EQ(batch->kernels[0].cube_flops, 2.0 * 4 * 2 * 3 * 5);
}

TEST_F(AtenTable, NamesOfCalls) {
  EXPECT_EQ(aten_call("aten::add"), "aclnnAdd");
  EXPECT_EQ(aten_call("aten::add_"), "aclnnInplaceAdd");
  EXPECT_EQ(aten_call("aten::_softmax"), "aclnnSoftmax");
  EXPECT_EQ(find({"aten::add_", {in({4})}, {out({4})}})->call, aten_call("aten::add_"));
}

TEST_F(AtenTable, AllKernelsHaveTheAttributesOfTheCall) {
  const auto sum = find({"aten::sum", {in({4, 2})}, {out({4})}, "dim:[1];keepdim:false"});
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(sum->kernels[0].attributes, "dim:[1];keepdim:false");

  const auto back = find({"aten::convolution_backward",
                          {in({1, 4, 8, 8}), in({1, 3, 8, 8}), in({4, 3, 1, 1})},
                          {out({1, 3, 8, 8}), out({4, 3, 1, 1})},
                          "stride:[1,1]"});
  ASSERT_TRUE(back.has_value());
  ASSERT_EQ(back->kernels.size(), 2u);
  EXPECT_EQ(back->kernels[0].attributes, "stride:[1,1]");
  EXPECT_EQ(back->kernels[1].attributes, "stride:[1,1]");
}

TEST_F(AtenTable, VectorOperatorsReadAndWriteTheirTensors) {
  const auto op = find({"aten::mul_", {in({100, 10}), in({10})}, {out({100, 10})}});
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->call, "aclnnInplaceMul");
  const KernelDesc& kernel = op->kernels[0];
  EXPECT_EQ(kernel.name, "aclnnInplaceMul_MulAiCore_Mul");
  EXPECT_EQ(kernel.kind, KernelCore::kAiv);
  EXPECT_EQ(kernel.bytes_read, 4.0 * 1010);
  EXPECT_EQ(kernel.bytes_written, 4.0 * 1000);
  EXPECT_EQ(kernel.vector_operations, 1000);
}

TEST_F(AtenTable, CopiesBetweenTypesAreCasts) {
  const auto moved = find({"aten::copy_", {in({8}), in({8})}, {out({8})}});
  const auto cast = find({"aten::copy_", {in({8}), in({8}, ElementType::kFloat16)}, {out({8})}});
  ASSERT_TRUE(moved && cast);
  EXPECT_EQ(moved->kernels[0].type, "TensorMove");
  EXPECT_EQ(moved->kernels[0].bytes_read, 32.0);  // Of the source only.
  EXPECT_EQ(cast->kernels[0].type, "Cast");
  EXPECT_EQ(cast->kernels[0].bytes_read, 16.0);
}

TEST_F(AtenTable, ConvolutionsUseCubes) {
  const AtenCall forward{
      "aten::convolution", {in({2, 3, 8, 8}), in({4, 3, 3, 3}), in({4})}, {out({2, 4, 6, 6})}};
  const auto op = find(forward);
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->kernels[0].type, "Conv2D");
  EXPECT_EQ(op->kernels[0].cube_flops, 2.0 * (2 * 4 * 6 * 6) * (3 * 3 * 3));
  const auto backward = find({"aten::convolution_backward",
                              {in({2, 4, 6, 6}), in({2, 3, 8, 8}), in({4, 3, 3, 3})},
                              {out({2, 3, 8, 8}), out({4, 3, 3, 3}), out({4})}});
  ASSERT_TRUE(backward.has_value());
  ASSERT_EQ(backward->kernels.size(), 2u);
  EXPECT_EQ(backward->kernels[0].cube_flops, op->kernels[0].cube_flops);
}

TEST_F(AtenTable, OtherEngines) {
  const auto random = find({"aten::normal_", {in({64})}, {out({64})}});
  const auto nonzero = find({"aten::nonzero", {in({64})}, {out({30, 1}, ElementType::kInt64)}});
  ASSERT_TRUE(random && nonzero);
  EXPECT_EQ(random->kernels[0].kind, KernelCore::kDsa);
  EXPECT_EQ(random->kernels[0].bytes_read, 0);
  EXPECT_EQ(nonzero->kernels[0].kind, KernelCore::kAicpu);
}

TEST_F(AtenTable, WhatIsNotListedGoesOverItsTensorsOnce) {
  const auto op = find({"aten::_some_new_thing", {in({10})}, {out({10})}});
  ASSERT_TRUE(op.has_value());
  EXPECT_EQ(op->call, "aclnnSomeNewThing");
  EXPECT_EQ(op->kernels[0].type, "SomeNewThing");
}

TEST_F(AtenTable, NothingIsLaunchedForNothing) {
  EXPECT_FALSE(find({"aten::add", {in({0, 4}), in({4})}, {out({0, 4})}}).has_value());
  EXPECT_FALSE(find({"aten::mm", {in({4})}, {out({4})}}).has_value());
  EXPECT_FALSE(find({"aten::add", {}, {}}).has_value());
  EXPECT_FALSE(find({"aten::copy_", {}, {out({4})}}).has_value());
}

TEST_F(AtenTable, EveryOperatorOfTheTableHasAValidKernel) {
  for (const char* name : {"aten::_softmax", "aten::native_layer_norm", "aten::topk", "aten::sum",
                           "aten::fill_", "aten::arange", "aten::_foreach_mul_"}) {
    const auto op = find({name, {in({4, 6})}, {out({4, 6})}});
    ASSERT_TRUE(op.has_value()) << name;
    for (const KernelDesc& kernel : op->kernels) {
      EXPECT_GT(estimate(chip_, chip_.aic_mhz, kernel).duration_ns(), 0) << name;
      EXPECT_TRUE(kernel.name.starts_with(op->call)) << name;
    }
  }
}

}  // namespace
}  // namespace npuprof::sim
