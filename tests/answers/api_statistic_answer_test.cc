#include "answers/api_statistic_answer.h"

#include <gtest/gtest.h>

#include "answers/answer_trace.h"
#include "format/host/levels.h"
#include "trace/host/api_calls.h"

namespace npuprof::answers {
namespace {

using testing::AnswerTrace;
using testing::says;
using testing::TableView;

void add_api_call(AnswerTrace& trace, std::uint16_t level, std::string_view name,
                  std::int64_t start_ns, std::int64_t end_ns) {
  auto& calls = trace->api_calls();
  const std::uint32_t row = AnswerTrace::new_row(calls);
  calls.level[row] = level;
  calls.start_ns[row] = start_ns;
  calls.end_ns[row] = end_ns;
  (level == format::host::kLevelHccl ? calls.item_name : calls.name)[row] = trace.text(name);
}

TEST(ApiStatisticMode, SaysWhatIsMissing) { testing::expect_no_data(kApiStatisticMode); }

TEST(ApiStatisticMode, AddsCallsUpByLevelFromTheTop) {
  AnswerTrace trace;
  add_api_call(trace, format::host::kLevelRuntime, "KernelLaunch", 10, 20);
  add_api_call(trace, format::host::kLevelAcl, "aclnnMm", 0, 30);
  add_api_call(trace, format::host::kLevelAcl, "aclnnAdd", 40, 50);
  add_api_call(trace, format::host::kLevelAcl, "aclnnMm", 100, 200);
  add_api_call(trace, format::host::kLevelHccl, "Notify_Wait", 300, 301);
  const auto answer = trace.ask(kApiStatisticMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "api_statistic");
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table.text(0, "level"), "acl");
  EXPECT_EQ(table.text(0, "name"), "aclnnMm");
  EXPECT_EQ(table.number(0, "total"), 130);
  EXPECT_EQ(table.number(0, "median"), 30);
  EXPECT_EQ(table.number(0, "p90"), 100);
  EXPECT_NEAR(table.real(0, "share"), 130.0 / 140, 1e-12);
  EXPECT_EQ(table.text(1, "name"), "aclnnAdd");
  EXPECT_EQ(table.text(2, "name"), "Notify_Wait");
  EXPECT_EQ(table.text(3, "level"), "runtime");
  EXPECT_EQ(table.real(3, "share"), 1);
  EXPECT_TRUE(says(*answer, "aclnnMm takes longest: 130 ns in 2 calls, 92.9 % of level acl"));
  EXPECT_EQ(testing::find_table(*answer, "operators"), nullptr);
}

TEST(ApiStatisticMode, ALevelWithoutANameShowsItsNumber) {
  AnswerTrace trace;
  add_api_call(trace, 123, "odd", 0, 1);
  const auto answer = trace.ask(kApiStatisticMode);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(TableView(*answer, "api_statistic").text(0, "level"), "123");
}

TEST(ApiStatisticMode, TellsOfOneSlowCallAmongMany) {
  AnswerTrace trace;
  for (int i = 0; i < 9; ++i) add_api_call(trace, format::host::kLevelAcl, "sync", 0, 10);
  EXPECT_FALSE(says(*trace.ask(kApiStatisticMode), "The slowest"));
  add_api_call(trace, format::host::kLevelAcl, "sync", 0, 5000);
  EXPECT_TRUE(
      says(*trace.ask(kApiStatisticMode), "The slowest sync takes 5.00 us, its median is 10"));
}

TEST(ApiStatisticMode, OperatorsHaveTimesOfHostAndDevice) {
  AnswerTrace trace;
  const std::uint32_t outer = trace.add_op(0, 100, "aten::linear");
  const std::uint32_t inner = trace.add_op(10, 80, "aten::mm");
  trace->framework_ops().parent[inner] = outer;
  trace.launch(inner, trace.add_kernel(200, 500, {"mm_1", "MatMul"}));
  const auto answer = trace.ask(kApiStatisticMode);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(testing::find_table(*answer, "api_statistic"), nullptr);
  const TableView table(*answer, "operators");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text(0, "name"), "aten::mm");
  EXPECT_EQ(table.number(0, "host_self"), 70);
  EXPECT_EQ(table.real(0, "host_self_share"), 0.7);
  EXPECT_EQ(table.number(0, "device_self"), 300);
  EXPECT_EQ(table.text(1, "name"), "aten::linear");
  EXPECT_EQ(table.number(1, "host_self"), 30);
  EXPECT_EQ(table.number(1, "host_total"), 100);
  EXPECT_EQ(table.number(1, "device_self"), 0);
  EXPECT_EQ(table.number(1, "device_total"), 300);
}

TEST(ApiStatisticMode, WithoutTasksOperatorsHaveNoDeviceTime) {
  AnswerTrace trace;
  trace.add_op(0, 100, "aten::linear");
  const auto answer = trace.ask(kApiStatisticMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "operators");
  EXPECT_TRUE(table.absent(0, "device_self"));
  EXPECT_TRUE(table.absent(0, "device_self_share"));
}

}  // namespace
}  // namespace npuprof::answers
