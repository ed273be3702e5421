#include "answers/python_answer.h"

#include <gtest/gtest.h>

#include "answers/answer_trace.h"
#include "trace/framework/python_calls.h"

namespace npuprof::answers {
namespace {

using testing::AnswerTrace;
using testing::says;
using testing::TableView;

void add_call(AnswerTrace& trace, std::int64_t start_ns, std::int64_t end_ns,
              std::string_view name) {
  auto& calls = trace->python_calls();
  const std::uint32_t row = AnswerTrace::new_row(calls);
  calls.start_ns[row] = start_ns;
  calls.end_ns[row] = end_ns;
  calls.tid[row] = 1;
  calls.name[row] = trace.text(name);
}

TEST(PythonMode, SaysWhatIsMissing) { testing::expect_no_data(kPythonMode); }

TEST(PythonMode, ListsFunctionsWithPlaceAndModulesApart) {
  AnswerTrace trace;
  add_call(trace, 20, 60, "model.py(41): forward");
  add_call(trace, 10, 70, "nn.Module: GPT_0");
  add_call(trace, 0, 100, "train.py(88): train_step");
  trace.launch(trace.add_op(30, 40, "aten::mm"), trace.add_kernel(200, 500, {"mm", "MatMul"}));
  trace.launch(trace.add_op(30, 40, "aten::mm", 2), trace.add_kernel(500, 600, {"mm", "MatMul"}));
  const auto answer = trace.ask(kPythonMode);
  ASSERT_TRUE(answer.ok());
  const TableView functions(*answer, "python_functions");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.text(0, "function"), "forward");
  EXPECT_EQ(functions.text(0, "place"), "model.py:41");
  EXPECT_EQ(functions.number(0, "calls"), 1);
  EXPECT_EQ(functions.number(0, "self"), 40);
  EXPECT_EQ(functions.real(0, "self_share"), 0.4);
  EXPECT_EQ(functions.number(0, "device_self"), 300);
  EXPECT_EQ(functions.number(0, "operators"), 1);
  EXPECT_EQ(functions.text(1, "function"), "train_step");
  EXPECT_EQ(functions.number(1, "total"), 100);
  EXPECT_EQ(functions.number(1, "device_self"), 0);
  EXPECT_EQ(functions.number(1, "device_total"), 300);
  EXPECT_EQ(functions.real(1, "device_total_share"), 0.75);
  const TableView modules(*answer, "python_modules");
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules.text(0, "module"), "GPT_0");
  EXPECT_EQ(modules.number(0, "total"), 60);
  EXPECT_TRUE(says(*answer, "forward (model.py:41) launches most of the device's work: 300 ns"));
  EXPECT_TRUE(says(*answer, "25.0 % of the device's work is launched outside of Python"));
}

TEST(PythonMode, WhatIsNotWrittenAsAPlaceIsAFunctionWithoutOne) {
  AnswerTrace trace;
  add_call(trace, 0, 30, "<built-in method item of Tensor object at 0x7f00>");
  add_call(trace, 40, 60, "): odd");
  add_call(trace, 70, 80, "");
  const auto answer = trace.ask(kPythonMode);
  ASSERT_TRUE(answer.ok());
  const TableView functions(*answer, "python_functions");
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_EQ(functions.text(0, "function"), "built-in method item of Tensor object");
  EXPECT_TRUE(functions.absent(0, "place"));
  EXPECT_TRUE(functions.absent(0, "device_total"));
  EXPECT_EQ(functions.text(1, "function"), "): odd");
}

TEST(PythonMode, StacksOfOperatorsAnswerWhereCallsWereNotRecorded) {
  AnswerTrace trace;
  const std::uint32_t op =
      trace.add_op(0, 50, "aten::mm", 1, "model.py(41): forward;train.py(8): go");
  trace.launch(op, trace.add_kernel(200, 500, {"mm", "MatMul"}));
  const auto answer = trace.ask(kPythonMode);
  ASSERT_TRUE(answer.ok());
  const TableView functions(*answer, "python_functions");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.text(0, "place"), "model.py:41");
  EXPECT_EQ(functions.number(0, "device_self"), 300);
  EXPECT_EQ(functions.text(1, "function"), "go");
  EXPECT_EQ(functions.number(1, "self"), 0);
  EXPECT_EQ(functions.number(1, "total"), 50);
  EXPECT_EQ(answer->tables[0].find("calls"), std::nullopt);
  EXPECT_FALSE(answer->tables[0].notes.empty());
}

}  // namespace
}  // namespace npuprof::answers
