#include "format/framework/op_range.h"

#include <gtest/gtest.h>

#include "format/framework/record_bytes.h"

namespace npuprof::format::framework {
namespace {

using testing::encode_one;
using testing::expect_record_round_trip;
using testing::expect_round_trip;
using testing::expect_same_bytes;
using testing::hex;
using testing::offset_of;

TEST(OpRange, RoundTripsRandomValues) {
  expect_round_trip<OpRangeFixed>();
  expect_record_round_trip<OpRange>();
}

TEST(OpRange, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<OpRangeFixed>("sequence_number"), 16u);
  EXPECT_EQ(offset_of<OpRangeFixed>("start_thread_id"), 32u);
  EXPECT_EQ(offset_of<OpRangeFixed>("forward_thread"), 48u);
  EXPECT_EQ(offset_of<OpRangeFixed>("scope"), 56u);
}

TEST(OpRange, DecodesBytesWrittenByHand) {
  const auto bytes = hex(
      "01 00 62 00 00 00 e8 03 00 00 00 00 00 00 c4 09 00 00 00 00 00 00 07 00 00 00 00 00 00 00 "
      "4d 00 00 00 00 00 00 00 4e 00 00 00 00 00 00 00 4e 00 00 00 00 00 00 00 00 00 00 00 00 00 "
      "00 00 00 00 02 00 08 00 00 00 61 74 65 6e 3a 3a 6d 6d 03 00 0a 00 00 00 66 6c 6f 61 74 3b "
      "4e 6f 6e 65 04 00 04 00 00 00 32 2c 33 3b");
  const auto op = expect_same_bytes<OpRange>(bytes);
  EXPECT_EQ(op.fixed.start, 1000);
  EXPECT_EQ(op.fixed.end, 2500);
  EXPECT_EQ(op.fixed.sequence_number, 7);
  EXPECT_EQ(op.fixed.process_id, 77u);
  EXPECT_EQ(op.fixed.start_thread_id, 78u);
  EXPECT_EQ(op.fixed.end_thread_id, 78u);
  EXPECT_EQ(op.fixed.forward_thread, 0u);
  EXPECT_EQ(op.fixed.op_scope(), OpScope::kFunction);
  EXPECT_EQ(op.name, "aten::mm");
  EXPECT_EQ(op.input_dtypes, "float;None");
  EXPECT_EQ(op.input_shapes, "2,3;");
  EXPECT_FALSE(op.stack);
}

TEST(OpRange, WritesFieldsInOrderOfTheirTypes) {
  OpRange op{.name = "n"};
  op.extra_args = "k:1";
  op.stack = "a.py(1): f";
  op.input_shapes = "";  // One input without dimensions: present, but empty.
  std::vector<std::uint16_t> types;
  const auto bytes = encode_one(op);
  TlvReader fields(Bytes(bytes).subspan(sizeof(TlvHeader) + sizeof(OpRangeFixed)));
  for (Tlv field; fields.next(field);) types.push_back(field.type);
  EXPECT_EQ(types, (std::vector<std::uint16_t>{2, 4, 8, 10}));
}

TEST(OpRange, FindsOperationsAmongTheArguments) {
  EXPECT_EQ(flops_value("flops:36"), 36u);
  EXPECT_EQ(flops_value("other:1;flops:128"), 128u);
  EXPECT_EQ(flops_value("18446744073709551615"), std::nullopt);
  EXPECT_EQ(flops_value("flops:many"), std::nullopt);
  EXPECT_EQ(flops_value(""), std::nullopt);
}

TEST(OpRange, MatchesInputsToTheirDetails) {
  OpRange op{.name = "aten::cat"};
  op.input_dtypes = "TensorList;Scalar;None;float;ScalarList;long int;TensorList";
  op.input_shapes = ";;;2,3;;;";
  op.input_tensors = "tensor one)tensor two";
  op.input_tensor_lists = "list one)}";
  op.input_scalars = "Int";
  std::vector<std::string> lines;
  for_each_input(op, [&](const OpInput& input) {
    lines.push_back(std::string(input.dtype) + "|" + std::string(input.shape) + "|" +
                    std::string(input.detail.value_or("-")));
  });
  EXPECT_EQ(lines, (std::vector<std::string>{"TensorList||list one)", "Scalar||Int", "None||-",
                                             "float|2,3|tensor one", "ScalarList||-",
                                             "long int||tensor two", "TensorList||"}));
}

TEST(OpRange, InputsWithoutDetailsOrWithTooFewShapesAreStillListed) {
  OpRange op{.name = "aten::mm"};
  int inputs = 0;
  const auto count = [&](const OpInput& input) {
    ++inputs;
    EXPECT_FALSE(input.detail);
  };
  for_each_input(op, count);
  EXPECT_EQ(inputs, 0);
  op.input_dtypes = "float;float;Scalar";
  op.input_shapes = "2";
  for_each_input(op, count);
  EXPECT_EQ(inputs, 3);
}

TEST(OpRange, FindsTheStepOfAStepMarker) {
  EXPECT_EQ(profiler_step_id("ProfilerStep#12"), "12");
  EXPECT_EQ(profiler_step_id("## ProfilerStep#3"), "3");
  EXPECT_FALSE(profiler_step_id("Optimizer.step#Adam.step"));
}

}  // namespace
}  // namespace npuprof::format::framework
