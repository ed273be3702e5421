#include "answers/kernels_answer.h"

#include <gtest/gtest.h>

#include "answers/answer_trace.h"

namespace npuprof::answers {
namespace {

using testing::AnswerTrace;
using testing::says;
using testing::TableView;

TEST(KernelsMode, SaysWhatIsMissing) { testing::expect_no_data(kKernelsMode); }

TEST(KernelsMode, ListsEachKernelWithStepAndOperator) {
  AnswerTrace trace;
  trace.add_step(5, 0, 1000);
  const std::uint32_t outer = trace.add_op(0, 50, "aten::matmul");
  const std::uint32_t inner = trace.add_op(10, 40, "aten::mm");
  const std::uint32_t task = trace.add_kernel(100, 300, {"mm_1", "MatMul", "8,8"});
  trace.launch(outer, task);
  trace.launch(inner, task);
  trace.add_kernel(2000, 2100, {"add_1", "Add"});
  const auto answer = trace.ask(kKernelsMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "kernels");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.number(0, "device"), 0);
  EXPECT_EQ(table.number(0, "stream"), 7);
  EXPECT_EQ(table.number(0, "step"), 5);
  EXPECT_EQ(table.text(0, "name"), "mm_1");
  EXPECT_EQ(table.text(0, "input_shapes"), "8,8");
  EXPECT_EQ(table.text(0, "operator"), "aten::mm");
  EXPECT_EQ(table.number(0, "start"), 100);
  EXPECT_EQ(table.number(0, "duration"), 200);
  EXPECT_TRUE(table.absent(1, "step"));
  EXPECT_TRUE(table.absent(1, "operator"));
  EXPECT_EQ(table.number(1, "wait"), 1700);
  EXPECT_TRUE(says(*answer, "2 kernels take 300 ns; the gaps before them add 1.70 us"));
  EXPECT_EQ(testing::find_table(*answer, "kernel_outliers"), nullptr);
}

TEST(KernelsMode, LeavesCollectivesToTheirOwnMode) {
  AnswerTrace trace;
  trace.add_collective(0, 50, "hcom_allReduce__1_0_1");
  trace.add_kernel(100, 300, {"mm_1", "MatMul"});
  const auto answer = trace.ask(kKernelsMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "kernels");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.number(0, "wait"), 50);
}

TEST(KernelsMode, AddsUpByName) {
  AnswerTrace trace;
  trace.add_kernel(0, 100, {"mm", "MatMul"});
  trace.add_kernel(200, 500, {"mm", "MatMul"});
  trace.add_kernel(600, 700, {"add", "Add"});
  const auto answer = trace.ask(kKernelsMode, "name");
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "kernels_by_name");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text(0, "name"), "mm");
  EXPECT_EQ(table.number(0, "count"), 2);
  EXPECT_EQ(table.number(0, "deviation"), 100);
  EXPECT_EQ(table.real(0, "share"), 0.8);
  EXPECT_FALSE(trace.ask(kKernelsMode, "shape").ok());
}

TEST(KernelsMode, ShowsWhereTheSlowestCallWas) {
  AnswerTrace trace;
  trace.add_step(1, 0, 2500);
  trace.add_step(2, 2500, 9000);
  for (int i = 0; i < 6; ++i) {
    trace.add_kernel(1000 * i, 1000 * i + (i == 4 ? 900 : 100), {"mm", "MatMul", "8,8"});
  }
  const auto answer = trace.ask(kKernelsMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "kernel_outliers");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.text(0, "name"), "MatMul [8,8]");
  EXPECT_EQ(table.number(0, "median"), 100);
  EXPECT_EQ(table.number(0, "slowest"), 900);
  EXPECT_EQ(table.real(0, "times_median"), 9);
  EXPECT_EQ(table.number(0, "step"), 2);
  EXPECT_EQ(table.number(0, "start"), 4000);
}

}  // namespace
}  // namespace npuprof::answers
