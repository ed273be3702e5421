#include "analyze/api_summary.h"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "analyze/statistics.h"
#include "format/host/levels.h"
#include "trace/host/api_calls.h"

namespace npuprof::analyze {
namespace {

TEST(ApiSummary, HasTheRowsOfTheStatistic) {
  trace::Trace trace;
  auto& calls = trace.api_calls();
  constexpr std::uint16_t kLevels[] = {format::host::kLevelAcl, format::host::kLevelHccl,
                                       format::host::kLevelRuntime};
  constexpr std::string_view kNames[] = {"one", "two"};
  resize_rows(calls, 30);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls.level[i] = kLevels[i % 3];
    calls.name[i] = trace.strings.intern(kNames[i % 2]);
    calls.item_name[i] = trace.strings.intern(kNames[i / 15]);
    calls.end_ns[i] = static_cast<std::int64_t>(i * i);
  }
  const auto rows = api_summaries(trace);
  const auto statistic = api_statistic(trace);
  ASSERT_EQ(rows.size(), statistic.size());
  for (const StatisticRow& expected : statistic) {
    bool found = false;
    for (const ApiSummary& row : rows) {
      if (row.level != expected.level || row.name != expected.type) continue;
      found = true;
      EXPECT_EQ(row.times.count, expected.count);
      EXPECT_EQ(row.times.total_ns, expected.total_ns);
      EXPECT_EQ(row.times.min_ns, expected.min_ns);
      EXPECT_EQ(row.times.max_ns, expected.max_ns);
      EXPECT_NEAR(row.times.deviation_ns * row.times.deviation_ns / 1e6, expected.variance_us2,
                  1e-9);
    }
    EXPECT_TRUE(found);
  }
  // From the framework down, longest first, and shares of one level add up.
  EXPECT_EQ(rows[0].level, format::host::kLevelAcl);
  EXPECT_GE(rows[0].times.total_ns, rows[1].times.total_ns);
  EXPECT_DOUBLE_EQ(rows[0].share + rows[1].share, 1);
}

}  // namespace
}  // namespace npuprof::analyze
