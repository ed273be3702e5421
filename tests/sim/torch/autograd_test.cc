#include "sim/torch/autograd.h"

#include <gtest/gtest.h>

#include "sim/torch/framework_fixture.h"

namespace npuprof::sim {
namespace {

using format::framework::OpRange;
using format::framework::OpScope;

class AutogradTest : public testing::FrameworkFixture {};

TEST_F(AutogradTest, BackwardRunsInReverseWithTheNumbersOfTheForwardPass) {
  FrameworkWriter& writer = open();
  const BackwardTemplate mm("MmBackward0", {}, writer.options());
  const BackwardTemplate add("AddBackward0", {}, writer.options());
  AutogradTape tape(1, 1350);
  EXPECT_EQ(tape.record(mm), 1350);
  EXPECT_EQ(tape.record(add), 1351);
  EXPECT_EQ(tape.size(), 2u);
  const auto last = tape.pop();
  EXPECT_EQ(last.backward, &add);
  EXPECT_EQ(last.sequence_number, 1351);
  const auto first = tape.pop();
  EXPECT_EQ(first.backward, &mm);
  EXPECT_EQ(first.sequence_number, 1350);
  EXPECT_TRUE(tape.empty());
  EXPECT_EQ(tape.record(mm), 1352) << "numbers are not used again";
}

TEST_F(AutogradTest, TheWrapperComesDirectlyBeforeItsNode) {
  FrameworkWriter& writer = open();
  const BackwardTemplate mm("MmBackward0",
                            {TemplateInput::tensor(format::framework::DataType::kFloat, {4, 4})},
                            writer.options());
  AutogradTape tape;
  tape.write(writer, mm, 7, 99, {1000, 9000}, {2000, 8000});
  const auto ops = records<OpRange>(format::framework::kOpRangeFile);
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].name, "autograd::engine::evaluate_function: MmBackward0");
  EXPECT_EQ(ops[0].fixed.op_scope(), OpScope::kFunction);
  EXPECT_EQ(ops[0].fixed.sequence_number, -1);
  EXPECT_EQ(ops[0].fixed.forward_thread, 0u);
  EXPECT_EQ(ops[0].fixed.start, static_cast<std::int64_t>(ticks(1000)));
  EXPECT_EQ(ops[1].name, "MmBackward0");
  EXPECT_EQ(ops[1].fixed.op_scope(), OpScope::kBackwardFunction);
  EXPECT_EQ(ops[1].fixed.sequence_number, 7);
  EXPECT_EQ(ops[1].fixed.forward_thread, 1u);
  EXPECT_EQ(ops[1].fixed.start_thread_id, 99u);
  EXPECT_EQ(ops[1].input_shapes, "4,4");
}

}  // namespace
}  // namespace npuprof::sim
