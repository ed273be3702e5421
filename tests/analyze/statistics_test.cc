#include "analyze/statistics.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kFar = INT64_MAX / 4 * 3;

void add_call(trace::Trace& trace, std::int64_t start_ns, std::int64_t end_ns) {
  trace::ApiCalls& calls = trace.api_calls();
  resize_rows(calls, calls.size() + 1);
  calls.start_ns.back() = start_ns;
  calls.end_ns.back() = end_ns;
}

TEST(Statistics, TimesNearTheEndOfTheirTypeStopThere) {
  trace::Trace trace;
  add_call(trace, -kFar, kFar);
  add_call(trace, 0, kFar);
  const auto calls = api_statistic(trace);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].max_ns, INT64_MAX);
  EXPECT_EQ(calls[0].total_ns, INT64_MAX);

  trace::CollectiveOps& ops = trace.collective_ops();
  resize_rows(ops, 2);
  ops.end_ns = {kFar, kFar};
  ops.start_ns = {0, -kFar};
  const auto collectives = collective_statistic(trace);
  ASSERT_EQ(collectives.size(), 1u);
  EXPECT_EQ(collectives[0].total_ns, INT64_MAX);
  EXPECT_EQ(collectives[0].ratio, 1);
}

TEST(Statistics, OperatorRowsStopThereToo) {
  trace::Trace trace;
  trace::CollectiveOps& ops = trace.collective_ops();
  resize_rows(ops, 3);
  ops.start_ns = {INT64_MIN, -kFar, kFar};
  ops.end_ns = {INT64_MAX, kFar, INT64_MAX};
  const OperatorRows rows = operator_rows(trace);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.duration_ns[0], INT64_MAX);
  EXPECT_EQ(rows.duration_ns[1], INT64_MAX);
}

}  // namespace
}  // namespace npuprof::analyze
