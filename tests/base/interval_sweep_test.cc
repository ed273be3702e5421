#include "base/interval_sweep.h"

#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/extremes.h"

namespace npuprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Intervals = std::vector<Interval>;

TEST(MergeIntervals, JoinsOverlappingTouchingAndNestedIntervals) {
  EXPECT_THAT(merge_intervals({}), IsEmpty());
  EXPECT_THAT(merge_intervals({{5, 7}, {0, 2}}), ElementsAre(Interval{0, 2}, Interval{5, 7}));
  EXPECT_THAT(merge_intervals({{0, 2}, {2, 4}}), ElementsAre(Interval{0, 4}));
  EXPECT_THAT(merge_intervals({{0, 10}, {2, 3}, {4, 12}}), ElementsAre(Interval{0, 12}));
  EXPECT_THAT(merge_intervals({{-5, -3}, {-4, 1}}), ElementsAre(Interval{-5, 1}));
}

TEST(MergeIntervals, DropsEmptyAndReversedIntervals) {
  EXPECT_THAT(merge_intervals({{3, 3}, {9, 4}}), IsEmpty());
  // An empty interval between two others does not join them.
  EXPECT_THAT(merge_intervals({{0, 2}, {3, 3}, {4, 6}}),
              ElementsAre(Interval{0, 2}, Interval{4, 6}));
}

TEST(TotalLength, CountsTheUnionOnce) {
  EXPECT_EQ(total_length({}), 0);
  EXPECT_EQ(total_length(merge_intervals({{0, 10}, {5, 15}, {20, 21}})), 16);
  EXPECT_EQ(total_length(merge_intervals({{kMinimum, kMaximum}})), kMaximum);
  EXPECT_EQ(total_length(merge_intervals({{kMinimum, 0}, {1, kMaximum}})), kMaximum);
}

TEST(OverlapLength, AddsUpCommonParts) {
  const Intervals a = {{0, 10}, {20, 30}};
  EXPECT_EQ(overlap_length(a, Intervals{{10, 20}}), 0);
  EXPECT_EQ(overlap_length(a, Intervals{{2, 3}, {4, 5}, {29, 40}}), 3);
  EXPECT_EQ(overlap_length(a, {}), 0);
  EXPECT_EQ(overlap_length({}, a), 0);
  EXPECT_EQ(overlap_length(a, Intervals{{5, 25}}), 10);
  EXPECT_EQ(overlap_length(a, a), 20);
}

TEST(Difference, CutsOut) {
  const Intervals a = {{0, 10}, {20, 30}};
  EXPECT_THAT(difference(a, {}), ElementsAre(Interval{0, 10}, Interval{20, 30}));
  EXPECT_THAT(difference({}, a), IsEmpty());
  EXPECT_THAT(difference(a, a), IsEmpty());
  EXPECT_THAT(difference(a, Intervals{{5, 25}}), ElementsAre(Interval{0, 5}, Interval{25, 30}));
  EXPECT_THAT(difference(a, Intervals{{-5, 0}, {2, 3}, {5, 6}, {10, 20}}),
              ElementsAre(Interval{0, 2}, Interval{3, 5}, Interval{6, 10}, Interval{20, 30}));
  EXPECT_THAT(difference(Intervals{{kMinimum, kMaximum}}, Intervals{{-1, 1}}),
              ElementsAre(Interval{kMinimum, -1}, Interval{1, kMaximum}));
}

// The same sets as one flag per nanosecond, from kFirst on.
constexpr std::int64_t kFirst = -32;
constexpr std::size_t kPoints = 96;
using Bitmap = std::vector<bool>;

Bitmap bitmap_of(const Intervals& intervals) {
  Bitmap bits(kPoints, false);
  for (const auto& [begin, end] : intervals) {
    for (std::int64_t at = begin; at < end; ++at)
      bits[static_cast<std::size_t>(at - kFirst)] = true;
  }
  return bits;
}

Intervals intervals_of(const Bitmap& bits) {
  Intervals result;
  for (std::size_t i = 0; i < kPoints; ++i) {
    if (!bits[i]) continue;
    const auto at = kFirst + static_cast<std::int64_t>(i);
    if (!result.empty() && result.back().end == at) {
      ++result.back().end;
    } else {
      result.push_back({at, at + 1});
    }
  }
  return result;
}

Intervals random_intervals(std::mt19937& random) {
  Intervals intervals(random() % 10);
  for (auto& interval : intervals) {
    interval.begin = kFirst + static_cast<std::int64_t>(random() % 80);
    // Now and then empty (0) or reversed (-1).
    interval.end = interval.begin + static_cast<std::int64_t>(random() % 14) - 1;
  }
  return intervals;
}

TEST(IntervalSweep, AgreesWithBitmaps) {
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    const Intervals a = random_intervals(random);
    const Intervals b = random_intervals(random);
    const Bitmap a_bits = bitmap_of(a);
    const Bitmap b_bits = bitmap_of(b);
    Bitmap both(kPoints);
    Bitmap only_a(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) {
      both[i] = a_bits[i] && b_bits[i];
      only_a[i] = a_bits[i] && !b_bits[i];
    }
    const Intervals a_merged = merge_intervals(a);
    const Intervals b_merged = merge_intervals(b);
    ASSERT_EQ(a_merged, intervals_of(a_bits));
    ASSERT_EQ(total_length(a_merged), std::count(a_bits.begin(), a_bits.end(), true));
    ASSERT_EQ(overlap_length(a_merged, b_merged), std::count(both.begin(), both.end(), true));
    ASSERT_EQ(difference(a_merged, b_merged), intervals_of(only_a));
  }
}

}  // namespace
}  // namespace npuprof
