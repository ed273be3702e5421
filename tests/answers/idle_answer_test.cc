#include "answers/idle_answer.h"

#include <gtest/gtest.h>

#include "analyze/idle_trace.h"

namespace npuprof::answers {
namespace {

using analyze::testing::IdleTrace;

const Table* find_table(const Answer& answer, std::string_view name) {
  for (const Table& table : answer.tables) {
    if (table.name() == name) return &table;
  }
  return nullptr;
}

std::int64_t sum_of(const Table& table, std::string_view key) {
  std::int64_t sum = 0;
  for (const std::int64_t number : table.column(*table.find(key)).numbers) sum += number;
  return sum;
}

TEST(IdleMode, SaysWhatIsMissingInAnEmptyProfile) {
  const trace::Trace trace;
  const analyze::SharedResults results(trace);
  const auto answer = kIdleMode.answer({.trace = trace, .results = results});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kNoData);
}

TEST(IdleMode, NamesTheLargestCauseAndAddsUpToFreeTime) {
  IdleTrace trace;
  const std::uint32_t launch = trace.call(IdleTrace::kLaunching, 142, 150, "launch");
  trace.queue(140, 142, 151, trace.op(IdleTrace::kAsking, 90, 140, "aten::mm"));
  trace.collection(70, 88);
  trace.frame(IdleTrace::kAsking, 0, 170, "train.py(12): step");
  trace.kernel(0, 60);
  trace.kernel(160, 200, launch);
  trace.link();
  const analyze::SharedResults results(*trace);
  const auto answer = kIdleMode.answer({.trace = *trace, .results = results});
  ASSERT_TRUE(answer.ok());
  ASSERT_GE(answer->sentences.size(), 2u);
  EXPECT_EQ(answer->sentences[0], "The device is idle for 100 us of 200 us (50.0 %).");
  EXPECT_NE(answer->sentences[1].find("operator self time, 50.0 us (50.0 % of idle)"),
            std::string::npos)
      << answer->sentences[1];
  for (const char* name : {"idle_causes", "idle_details", "idle_steps"}) {
    SCOPED_TRACE(name);
    const Table* table = find_table(*answer, name);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(sum_of(*table, "total"), IdleTrace::us(100));
  }
  const Table* gaps = find_table(*answer, "idle_gaps");
  ASSERT_NE(gaps, nullptr);
  ASSERT_EQ(gaps->size(), 1u);
  EXPECT_TRUE(gaps->text_at(*gaps->find("causes"), 0)
                  .starts_with("Python frame 12.0 us (train.py(12): step), garbage collection "
                               "18.0 us, operator self time 50.0 us (aten::mm), "))
      << gaps->text_at(*gaps->find("causes"), 0);
  const Table* parts = find_table(*answer, "idle");
  ASSERT_NE(parts, nullptr);
  EXPECT_FALSE(parts->on_terminal);
  EXPECT_EQ(parts->size(), 7u);
  EXPECT_EQ(sum_of(*parts, "duration"), IdleTrace::us(100));
}

TEST(IdleMode, ABusyDeviceHasNoCauses) {
  IdleTrace trace;
  trace.kernel(0, 60);
  trace.link();
  const analyze::SharedResults results(*trace);
  const auto answer = kIdleMode.answer({.trace = *trace, .results = results});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->sentences.front(), "The device is idle for 0 ns of 60.0 us (0.0 %).");
  EXPECT_EQ(find_table(*answer, "idle_causes")->size(), 0u);
}

}  // namespace
}  // namespace npuprof::answers
