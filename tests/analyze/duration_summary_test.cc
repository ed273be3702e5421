#include "analyze/duration_summary.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::analyze {
namespace {

using trace::kNone;

TEST(DurationSummary, TellsGroupsApart) {
  const std::vector<std::uint32_t> groups = {1, 0, 1, kNone, 1};
  const std::vector<std::int64_t> times = {10, 7, 30, 999, 20};
  const auto summaries = summarize_durations(groups, times, 3);
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[0].count, 1u);
  EXPECT_EQ(summaries[0].median_ns, 7);
  EXPECT_EQ(summaries[0].deviation_ns, 0);
  EXPECT_EQ(summaries[1].count, 3u);
  EXPECT_EQ(summaries[1].total_ns, 60);
  EXPECT_EQ(summaries[1].mean_ns(), 20);
  EXPECT_EQ(summaries[1].min_ns, 10);
  EXPECT_EQ(summaries[1].median_ns, 20);
  EXPECT_EQ(summaries[1].max_ns, 30);
  EXPECT_EQ(summaries[1].longest, 2u);
  EXPECT_NEAR(summaries[1].deviation_ns, 8.16496580927726, 1e-9);
  // A group without any.
  EXPECT_EQ(summaries[2].count, 0u);
  EXPECT_EQ(summaries[2].mean_ns(), 0);
  EXPECT_EQ(summaries[2].longest, kNone);
}

TEST(DurationSummary, QuantilesAreTimesThatWereMeasured) {
  std::vector<std::int64_t> times(200);
  std::iota(times.rbegin(), times.rend(), 1);
  const std::vector<std::uint32_t> groups(times.size(), 0);
  const DurationSummary all = summarize_durations(groups, times, 1)[0];
  EXPECT_EQ(all.median_ns, 100);
  EXPECT_EQ(all.p90_ns, 180);
  EXPECT_EQ(all.p99_ns, 198);
  EXPECT_EQ(all.longest, 0u);
  const std::vector<std::int64_t> two = {5, 9};
  const DurationSummary pair = summarize_durations(std::span(groups).first(2), two, 1)[0];
  EXPECT_EQ(pair.median_ns, 5);
  EXPECT_EQ(pair.p90_ns, 9);
}

TEST(DurationSummary, SumsStopAtTheEndOfTheirType) {
  const std::vector<std::int64_t> times = {INT64_MAX, INT64_MAX};
  const std::vector<std::uint32_t> groups = {0, 0};
  EXPECT_EQ(summarize_durations(groups, times, 1)[0].total_ns, INT64_MAX);
}

TEST(DurationSummary, OfNothingIsNothing) { EXPECT_TRUE(summarize_durations({}, {}, 0).empty()); }

}  // namespace
}  // namespace npuprof::analyze
