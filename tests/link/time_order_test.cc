#include "link/time_order.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using trace::kNone;

TEST(SortByTime, KeepsTheOrderOfEqualTimes) {
  const std::vector<std::int64_t> times = {5, 3, 5, -1, 3};
  std::vector<std::uint32_t> rows = {4, 0, 1, 2, 3};
  sort_by_time(rows, times);
  EXPECT_THAT(rows, ElementsAre(3, 4, 1, 0, 2));
}

TEST(SortByTime, SortsOnlyTheGivenRows) {
  const std::vector<std::int64_t> times = {5, 3, 9, 1};
  std::vector<std::uint32_t> rows = {2, 0};
  sort_by_time(rows, times);
  EXPECT_THAT(rows, ElementsAre(0, 2));
}

TEST(ThreadOrder, SeparatesThreadsInOrderOfAppearance) {
  const std::vector<std::uint32_t> tids = {9, 4, 9, 4, 4};
  const std::vector<std::int64_t> times = {20, 7, 10, 6, 5};
  const auto threads = ThreadOrder::of_events(tids, times);
  ASSERT_EQ(threads.thread_count(), 2u);
  EXPECT_EQ(threads.tid(0), 9u);
  EXPECT_THAT(threads.rows(0), ElementsAre(2, 0));
  EXPECT_THAT(threads.rows(1), ElementsAre(4, 3, 1));
  EXPECT_EQ(threads.find(4), 1u);
  EXPECT_EQ(threads.find(5), ThreadOrder::kNoThread);
}

TEST(ThreadOrder, OfNothingHasNoThread) {
  EXPECT_EQ(ThreadOrder::of_events({}, {}).thread_count(), 0u);
}

TEST(ThreadOrder, PutsOuterRangesFirst) {
  const std::vector<std::uint32_t> tids(4, 1);
  // In file order: two equal ranges (the later row is the outer one), a longer one, an earlier one.
  const std::vector<std::int64_t> starts = {10, 10, 10, 5};
  const std::vector<std::int64_t> ends = {20, 20, 30, 40};
  EXPECT_THAT(ThreadOrder::of_ranges(tids, starts, ends).rows(0), ElementsAre(3, 2, 1, 0));
}

TEST(LastStarted, AnswersInAnyOrderOfQuestions) {
  std::mt19937 random(3);
  std::vector<std::int64_t> starts(500);
  for (auto& start : starts) start = static_cast<std::int64_t>(random() % 1000);
  std::vector<std::uint32_t> tids(starts.size());
  for (auto& tid : tids) tid = random() % 3;
  const auto threads = ThreadOrder::of_events(tids, starts);
  LastStarted last_started(threads, starts);
  for (int question = 0; question < 3000; ++question) {
    const std::uint32_t tid = random() % 4;
    const auto time = static_cast<std::int64_t>(random() % 1100) - 50;
    std::uint32_t expected = kNone;
    for (std::uint32_t row = 0; row < starts.size(); ++row) {
      if (tids[row] != tid || starts[row] > time) continue;
      if (expected == kNone || starts[row] >= starts[expected]) expected = row;
    }
    ASSERT_EQ(last_started.find(tid, time), expected) << "thread " << tid << " at " << time;
  }
}

}  // namespace
}  // namespace npuprof::link
