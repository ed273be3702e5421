#include "report/lanes/lane_rows.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sort_order.h"

namespace npuprof::report {
namespace {

using ::testing::ElementsAre;

LaneRows lane_rows_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& slices) {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  for (const auto& [start, end] : slices) {
    starts.push_back(start);
    ends.push_back(end);
  }
  return nesting_rows(starts, ends, nesting_order(starts, ends, EqualIntervals::kFirstIsOuter));
}

TEST(LaneRows, PutsSlicesThatNestIntoTheRowOfTheirDepth) {
  const LaneRows lane = lane_rows_of({{0, 100}, {10, 50}, {20, 30}, {50, 60}, {100, 110}});
  EXPECT_THAT(lane.row, ElementsAre(0, 1, 2, 1, 0));
  EXPECT_TRUE(lane.nests);
}

TEST(LaneRows, PutsSlicesThatCrossIntoTheFirstRowThatIsFree) {
  const LaneRows lane = lane_rows_of({{0, 10}, {5, 15}, {12, 20}, {14, 30}});
  EXPECT_THAT(lane.row, ElementsAre(0, 1, 0, 2));
  EXPECT_FALSE(lane.nests);
}

TEST(LaneRows, TakesAsManyRowsAsThereAreSlicesAtOnceAndNoMore) {
  std::vector<std::pair<std::int64_t, std::int64_t>> slices;
  for (std::int64_t i = 0; i < 100; ++i) slices.emplace_back(i * 10, i * 10 + 65);
  const LaneRows lane = lane_rows_of(slices);
  EXPECT_EQ(*std::max_element(lane.row.begin(), lane.row.end()), 6);
}

TEST(LaneRows, LetsMomentsBesideEachOtherShareARow) {
  EXPECT_THAT(lane_rows_of({{5, 5}, {5, 5}, {5, 5}}).row, ElementsAre(0, 0, 0));
  EXPECT_THAT(lane_rows_of({{0, 10}, {0, 0}, {10, 10}}).row, ElementsAre(0, 1, 0));
}

TEST(LaneRows, HasNoMoreThanItsMostRows) {
  std::vector<std::pair<std::int64_t, std::int64_t>> slices;
  for (std::int64_t i = 0; i < kMostRows + 10; ++i) slices.emplace_back(i, 1'000'000 + i);
  const LaneRows lane = lane_rows_of(slices);
  EXPECT_EQ(*std::max_element(lane.row.begin(), lane.row.end()), kMostRows - 1);
}

}  // namespace
}  // namespace npuprof::report
