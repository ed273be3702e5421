#include "record/op_inputs.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::record {
namespace {

using format::framework::DataType;
using format::framework::ScalarKind;

class OpInputsTest : public ::testing::Test {
 protected:
  OpInputTexts texts_of(const OpInputs& inputs) {
    OpInputTexts texts;
    texts.dtypes = "old";  // What was there before goes.
    make_input_texts(inputs.bytes(), texts);
    return texts;
  }

  std::array<std::byte, 4096> room_;
};

TEST_F(OpInputsTest, ShapesAndTypes) {
  OpInputs inputs(room_.data(), room_.size(), false);
  const std::array<std::int64_t, 2> matrix = {2, 3};
  inputs.tensor(DataType::kFloat, matrix);
  inputs.none();
  inputs.tensor_list(7);  // Without details nothing more is told of a list.
  inputs.scalar(ScalarKind::kInt);
  inputs.scalar_list();
  inputs.tensor(DataType::kBFloat16, {});
  const OpInputTexts texts = texts_of(inputs);
  EXPECT_EQ(texts.dtypes, "float;None;TensorList;Scalar;ScalarList;c10::BFloat16");
  EXPECT_EQ(texts.shapes, "2,3;;;;;");
  EXPECT_TRUE(texts.has_inputs);
  EXPECT_FALSE(texts.has_tensors || texts.has_lists || texts.has_scalars);
}

TEST_F(OpInputsTest, Details) {
  OpInputs inputs(room_.data(), room_.size(), true);
  const std::array<std::int64_t, 2> matrix = {2, 3};
  const std::array<std::int64_t, 2> strides = {3, 1};
  const TensorDetail detail{.impl_address = 0x10,
                            .storage_address = 0x1000,
                            .element_bytes = 4,
                            .device_type = 20,
                            .device_index = 0};
  inputs.tensor(DataType::kFloat, matrix, detail, strides);
  inputs.scalar(ScalarKind::kDouble);
  inputs.tensor_list(2);
  inputs.tensor(DataType::kFloat, matrix, detail, strides);
  inputs.tensor(DataType::kFloat, {}, detail, {});
  inputs.tensor_list(0);
  const OpInputTexts texts = texts_of(inputs);
  const std::string tensor = "0x10;0x1000;float;4;2,3;3,1;20;0";
  EXPECT_EQ(texts.dtypes, "float;Scalar;TensorList;TensorList");
  EXPECT_EQ(texts.shapes, "2,3;;;");
  EXPECT_EQ(texts.tensors, tensor);
  EXPECT_EQ(texts.tensor_lists, tensor + ")0x10;0x1000;float;4;;;20;0)}");
  EXPECT_EQ(texts.scalars, "Double");
  EXPECT_TRUE(texts.has_tensors && texts.has_lists && texts.has_scalars);
}

TEST_F(OpInputsTest, NoInputs) {
  const OpInputs inputs(room_.data(), room_.size(), false);
  EXPECT_FALSE(texts_of(inputs).has_inputs);
}

TEST_F(OpInputsTest, SaysWhenThereIsNoRoom) {
  OpInputs inputs(room_.data(), 64, true);
  inputs.tensor(DataType::kFloat, std::vector<std::int64_t>(3, 1));
  EXPECT_FALSE(inputs.overflowed());
  inputs.tensor(DataType::kFloat, std::vector<std::int64_t>(3, 1));
  EXPECT_TRUE(inputs.overflowed());
  inputs.none();
  EXPECT_TRUE(inputs.overflowed());
  EXPECT_LE(inputs.bytes().size(), 64u);
}

TEST_F(OpInputsTest, CutBytesEndTheList) {
  OpInputs inputs(room_.data(), room_.size(), true);
  inputs.tensor(DataType::kFloat, std::vector<std::int64_t>(3, 1));
  inputs.tensor_list(1'000'000);
  inputs.tensor(DataType::kFloat, std::vector<std::int64_t>(3, 1));
  OpInputTexts texts;
  for (std::size_t size = 0; size <= inputs.bytes().size(); ++size) {
    make_input_texts(inputs.bytes().substr(0, size), texts);
    EXPECT_LE(texts.dtypes.size(), 20u);
  }
}

}  // namespace
}  // namespace npuprof::record
