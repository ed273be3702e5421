#include "base/sort_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename Key>
std::vector<std::uint32_t> expected_order(const std::vector<Key>& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

template <typename Key>
std::vector<std::uint32_t> order_of(const std::vector<Key>& keys) {
  return stable_order(std::span<const Key>(keys));
}

TEST(StableOrder, KeepsEqualKeysInPlace) {
  EXPECT_THAT(order_of<std::uint64_t>({5, 1, 5, 0, 1}), ElementsAre(3, 1, 4, 0, 2));
  EXPECT_THAT(order_of<std::uint64_t>({}), IsEmpty());
  EXPECT_THAT(order_of<std::uint64_t>({7}), ElementsAre(0));
}

TEST(StableOrder, OrdersNegativeKeysAndTheEndsOfTheirType) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(order_of<std::int64_t>({0, kMax, -1, kMin}), ElementsAre(3, 2, 0, 1));
}

TEST(StableOrder, AgreesWithAComparisonSortOnManyKeys) {
  std::mt19937_64 random(7);
  for (const std::uint64_t range : {2ull, 3000ull, 1ull << 33, 1ull << 51, 1ull << 52, ~0ull}) {
    std::vector<std::uint64_t> keys(5000);
    for (auto& key : keys) key = random() % range + (range < 1000 ? 1ull << 62 : 0);
    EXPECT_EQ(order_of(keys), expected_order(keys)) << range;

    std::vector<std::int64_t> signed_keys(keys.begin(), keys.end());
    EXPECT_EQ(order_of(signed_keys), expected_order(signed_keys)) << range;
  }
}

TEST(StableOrder, LeavesSortedKeysAlone) {
  std::vector<std::uint64_t> keys(5000);
  std::iota(keys.begin(), keys.end(), 100);
  EXPECT_TRUE(is_identity(order_of(keys)));
  std::swap(keys[10], keys[4000]);
  EXPECT_FALSE(is_identity(order_of(keys)));
}

TEST(NestingOrder, PutsTheLongerFirstAndEqualOnesAsAsked) {
  // Equal ones, a longer one, one of no length, one that ends with them, an earlier one.
  const std::vector<std::int64_t> starts = {10, 10, 10, 10, 15, 5};
  const std::vector<std::int64_t> ends = {20, 20, 30, 10, 20, 40};
  EXPECT_THAT(nesting_order(starts, ends, EqualIntervals::kFirstIsOuter),
              ElementsAre(5, 2, 0, 1, 3, 4));
  EXPECT_THAT(nesting_order(starts, ends, EqualIntervals::kLastIsOuter),
              ElementsAre(5, 2, 1, 0, 3, 4));
}

TEST(ForEachTie, ReportsRunsOfEqualKeysOnly) {
  const std::vector<std::uint64_t> keys{4, 2, 4, 1, 2, 2};
  const auto order = order_of(keys);
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for_each_tie(std::span<const std::uint64_t>(keys), order,
               [&](std::size_t begin, std::size_t end) { runs.emplace_back(begin, end); });
  EXPECT_THAT(runs, ElementsAre(std::pair{1u, 4u}, std::pair{4u, 6u}));
}

TEST(SortRows, MergesSequencesAndKeepsTheOrderOfEqualRows) {
  std::mt19937 random(7);
  for (const int sequences : {1, 2, 3, 5, 64, 900}) {
    std::vector<std::int64_t> keys;
    for (int sequence = 0; sequence < sequences; ++sequence) {
      const std::size_t begin = keys.size();
      const std::size_t length = random() % (sequences < 100 ? 200 : 4);
      for (std::size_t i = 0; i < length; ++i)
        keys.push_back(static_cast<std::int64_t>(random() % 50));
      std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.end());
    }
    std::vector<std::uint32_t> expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    EXPECT_EQ(stable_order(std::span<const std::int64_t>(keys)), expected) << sequences;
  }
}

TEST(VisitNested, GoesThroughTwoListsAsIfTheyWereOne) {
  const std::vector<TimeInterval> modules = {{0, 100}, {10, 20}, {50, 60}, {200, 210}};
  const std::vector<TimeInterval> ops = {{0, 200}, {10, 20}, {10, 15}, {55, 70}};
  std::string visits;
  visit_nested(
      modules.size(), [&](std::size_t i) { return modules[i]; }, ops.size(),
      [&](std::size_t i) { return ops[i]; },
      [&](std::size_t i, const TimeInterval&) { visits += "m" + std::to_string(i) + " "; },
      [&](std::size_t i, const TimeInterval&) { visits += "o" + std::to_string(i) + " "; });
  // The longer one first; of equal ones the module.
  EXPECT_EQ(visits, "o0 m0 m1 o1 o2 m2 o3 m3 ");
}

}  // namespace
}  // namespace npuprof
