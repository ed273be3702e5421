#include "answers/op_statistic_answer.h"

#include <gtest/gtest.h>

#include "answers/answer_trace.h"

namespace npuprof::answers {
namespace {

using testing::AnswerTrace;
using testing::says;
using testing::TableView;

AnswerTrace matrix_trace() {
  AnswerTrace trace;
  trace.add_kernel(0, 100, {"mm_1", "MatMul", "8,8"});
  trace.add_kernel(110, 510, {"mm_2", "MatMul", "16,16"});
  trace.add_kernel(520, 1020, {"add_1", "Add", "8,8"});
  return trace;
}

TEST(OpStatisticMode, SaysWhatIsMissing) { testing::expect_no_data(kOpStatisticMode); }

TEST(OpStatisticMode, AddsKernelsUpByType) {
  const auto answer = matrix_trace().ask(kOpStatisticMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "op_statistic");
  ASSERT_EQ(table.size(), 2u);
  // Equal totals: in the order of their types.
  EXPECT_EQ(table.text(0, "type"), "Add");
  EXPECT_EQ(table.text(1, "type"), "MatMul");
  EXPECT_EQ(table.text(1, "core"), "AI_CORE");
  EXPECT_EQ(table.number(1, "count"), 2);
  EXPECT_EQ(table.number(1, "total"), 500);
  EXPECT_EQ(table.number(1, "mean"), 250);
  EXPECT_EQ(table.number(1, "min"), 100);
  EXPECT_EQ(table.number(1, "max"), 400);
  EXPECT_EQ(table.number(1, "deviation"), 150);
  EXPECT_EQ(table.number(1, "wait"), 10);
  EXPECT_EQ(table.real(1, "share"), 0.5);
  EXPECT_TRUE(says(*answer, "Add takes 50.0 % of the time of all kernels on device 0"));
}

TEST(OpStatisticMode, ShapesAndNamesCanTellKernelsApart) {
  AnswerTrace trace = matrix_trace();
  const auto by_shape = trace.ask(kOpStatisticMode, "shape");
  ASSERT_TRUE(by_shape.ok());
  const TableView shapes(*by_shape, "op_statistic");
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes.text(1, "input_shapes"), "16,16");
  EXPECT_EQ(shapes.number(1, "total"), 400);

  const auto by_name = trace.ask(kOpStatisticMode, "name");
  ASSERT_TRUE(by_name.ok());
  const TableView names(*by_name, "op_statistic");
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names.text(2, "name"), "mm_1");
  EXPECT_EQ(names.text(2, "type"), "MatMul");
}

TEST(OpStatisticMode, RefusesToAddUpByAnythingElse) {
  const auto answer = matrix_trace().ask(kOpStatisticMode, "colour");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
}

TEST(OpStatisticMode, NamesStandForTypesThatWereNotRecorded) {
  AnswerTrace trace;
  trace.add_kernel(0, 100, {"first"});
  trace.add_kernel(100, 300, {"second"});
  const auto answer = trace.ask(kOpStatisticMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "op_statistic");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text(0, "type"), "second");
  EXPECT_TRUE(table.absent(0, "core"));
  EXPECT_FALSE(answer->tables[0].notes.empty());
}

TEST(OpStatisticMode, TellsOfACallFarFromTheMedianOfItsShape) {
  AnswerTrace trace;
  std::int64_t time = 0;
  for (int i = 0; i < 5; ++i, time += 1000) {
    trace.add_kernel(time, time + (i == 3 ? 400 : 100), {"mm", "MatMul", "8,8"});
  }
  // Another shape takes longer, and always the same.
  for (int i = 0; i < 5; ++i, time += 1000) {
    trace.add_kernel(time, time + 900, {"mm", "MatMul", "64,64"});
  }
  const auto answer = trace.ask(kOpStatisticMode);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(says(*answer, "The slowest call of MatMul [8,8] takes 400 ns, 4.0 times its median"));
}

}  // namespace
}  // namespace npuprof::answers
