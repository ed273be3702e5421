#include "record/op_flops.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "record/op_inputs.h"

namespace npuprof::record {
namespace {

using format::framework::DataType;
using format::framework::ScalarKind;
using Numbers = std::vector<std::int64_t>;

class OpFlopsTest : public ::testing::Test {
 protected:
  OpInputs begin(bool with_values = true) {
    return OpInputs(room_.data(), room_.size(), with_details_, with_values);
  }
  std::uint64_t flops_of_tensors(std::string_view name, std::initializer_list<Numbers> shapes) {
    OpInputs inputs = begin();
    for (const Numbers& shape : shapes) inputs.tensor(DataType::kFloat, shape);
    return operator_flops(name, inputs.bytes());
  }
  std::uint64_t flops_of_convolution(std::string_view name, const Numbers& image,
                                     const Numbers& weight, const Numbers& stride,
                                     const Numbers& padding, const Numbers& dilation) {
    OpInputs inputs = begin();
    inputs.tensor(DataType::kFloat, image);
    inputs.tensor(DataType::kFloat, weight);
    inputs.none();
    for (const Numbers& values : {stride, padding, dilation}) inputs.scalar_list(values);
    const std::int64_t groups = 1;
    inputs.scalar(ScalarKind::kInt, {&groups, 1});
    return operator_flops(name, inputs.bytes());
  }
  std::uint64_t flops_of_backward(std::int64_t transposed, const Numbers& wanted,
                                  const Numbers& gradient, const Numbers& image,
                                  const Numbers& weight) {
    OpInputs inputs = begin();
    for (const Numbers& shape : {gradient, image, weight}) inputs.tensor(DataType::kFloat, shape);
    for (int i = 0; i < 4; ++i) inputs.scalar_list(Numbers{1, 1});
    inputs.scalar(ScalarKind::kBool, {&transposed, 1});
    inputs.scalar_list(Numbers{0, 0});
    inputs.scalar(ScalarKind::kInt);
    inputs.scalar_list(wanted);
    return operator_flops("aten::convolution_backward", inputs.bytes());
  }

  bool with_details_ = false;
  std::array<std::byte, 4096> room_;
};

TEST_F(OpFlopsTest, MatrixProducts) {
  EXPECT_EQ(flops_of_tensors("aten::mm", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(flops_of_tensors("aten::addmm", {{6}, {4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(flops_of_tensors("aten::bmm", {{2, 3, 4}, {2, 4, 5}}), 2 * 2 * 3 * 4 * 5);
  EXPECT_EQ(flops_of_tensors("aten::baddbmm", {{5}, {2, 3, 4}, {2, 4, 5}}), 2 * 2 * 3 * 4 * 5);
  EXPECT_EQ(flops_of_tensors("aten::mv", {{3, 4}, {4}}), 2 * 3 * 4);
  EXPECT_EQ(flops_of_tensors("aten::addmv", {{3}, {3, 4}, {4}}), 2 * 3 * 4);
  EXPECT_EQ(flops_of_tensors("aten::dot", {{7}, {7}}), 2 * 7);
  EXPECT_EQ(flops_of_tensors("aten::mm", {{0, 5}, {5, 6}}), 0);
}

TEST_F(OpFlopsTest, OneForEachElementOfTheResult) {
  EXPECT_EQ(flops_of_tensors("aten::mul", {{4, 5}, {4, 5}}), 20);
  EXPECT_EQ(flops_of_tensors("aten::add", {{4, 1}, {5}}), 20);
  EXPECT_EQ(flops_of_tensors("aten::div_", {{}, {3, 2}}), 6);
  EXPECT_EQ(flops_of_tensors("aten::sub", {{3, 2}}), 6);
  EXPECT_EQ(flops_of_tensors("aten::mul", {{}, {}}), 1);
  EXPECT_EQ(flops_of_tensors("aten::mul", {{0, 3}, {3}}), 0);
}

TEST_F(OpFlopsTest, Convolutions) {
  EXPECT_EQ(flops_of_convolution("aten::conv2d", {2, 3, 9, 9}, {8, 3, 3, 3}, {2}, {1}, {1}),
            2 * 2 * 5 * 5 * 8 * 3 * 3 * 3);
  // No batch, and different numbers for each dimension.
  EXPECT_EQ(flops_of_convolution("aten::conv2d", {4, 10, 12}, {6, 2, 3, 5}, {1, 2}, {0, 2}, {2, 1}),
            2 * 6 * 6 * 6 * 2 * 3 * 5);
  EXPECT_EQ(flops_of_convolution("aten::conv1d", {1, 2, 9}, {4, 2, 3}, {1}, {0}, {1}),
            2 * 7 * 4 * 2 * 3);
  EXPECT_EQ(
      flops_of_convolution("aten::conv_transpose2d", {2, 4, 5, 5}, {4, 3, 2, 2}, {2}, {0}, {0}),
      2 * 2 * 4 * 5 * 5 * 3 * 2 * 2);
}

TEST_F(OpFlopsTest, GradientsOfConvolutionsThatAreWanted) {
  const std::uint64_t forward = 2 * 2 * 5 * 5 * 8 * 3 * 3 * 3;
  const Numbers gradient = {2, 8, 5, 5};
  const Numbers image = {2, 3, 9, 9};
  EXPECT_EQ(flops_of_backward(0, {1, 1, 1}, gradient, image, {8, 3, 3, 3}), 2 * forward);
  EXPECT_EQ(flops_of_backward(0, {0, 1, 1}, gradient, image, {8, 3, 3, 3}), forward);
  EXPECT_EQ(flops_of_backward(1, {1, 0, 0}, {2, 3, 10, 10}, {2, 4, 5, 5}, {4, 3, 2, 2}),
            2 * 2 * 4 * 5 * 5 * 3 * 2 * 2);
}

TEST_F(OpFlopsTest, DetailsDoNotDisturb) {
  with_details_ = true;
  EXPECT_EQ(flops_of_tensors("aten::mm", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(flops_of_convolution("aten::conv1d", {1, 2, 9}, {4, 2, 3}, {1}, {0}, {1}),
            2 * 7 * 4 * 2 * 3);
}

TEST_F(OpFlopsTest, WhatCannotBeCountedIsNothing) {
  EXPECT_EQ(flops_of_tensors("aten::relu", {{4, 5}}), 0);
  EXPECT_EQ(flops_of_tensors("aten::mm", {{4, 5}}), 0);
  EXPECT_EQ(flops_of_tensors("aten::mm", {{4, 5, 6}, {6, 7}}), 0);
  EXPECT_EQ(flops_of_tensors("aten::conv2d", {{2, 3, 9, 9}, {8, 3, 3, 3}}), 0);
  EXPECT_EQ(flops_of_convolution("aten::conv2d", {2, 3, 9, 9}, {8, 3, 3, 3}, {0}, {1}, {1}), 0);
  EXPECT_EQ(flops_of_convolution("aten::conv2d", {2, 3, 2, 2}, {8, 3, 3, 3}, {1}, {0}, {1}), 0);
  EXPECT_EQ(flops_of_convolution("aten::conv2d", {2, 3, 9, 9}, {8, 3, 3, 3}, {1}, {}, {1}), 0);
  EXPECT_EQ(operator_flops("aten::mm", ""), 0);
  OpInputs without_values = begin(false);
  without_values.tensor(DataType::kFloat, Numbers{4, 5});
  without_values.tensor(DataType::kFloat, Numbers{5, 6});
  EXPECT_EQ(operator_flops("aten::mm", without_values.bytes()), 0);
}

TEST_F(OpFlopsTest, BytesThatAreCutOffAreNothing) {
  OpInputs inputs = begin();
  inputs.tensor(DataType::kFloat, Numbers{4, 5});
  inputs.tensor(DataType::kFloat, Numbers{5, 6});
  const std::string_view bytes = inputs.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(operator_flops("aten::mm", bytes.substr(0, size)), 0) << size;
  }
}

TEST_F(OpFlopsTest, NumbersDoNotWrapAround) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(flops_of_tensors("aten::mm", {{large, large}, {large, large}}), UINT64_MAX);
}

}  // namespace
}  // namespace npuprof::record
