#include "record/ticks.h"

#include <gtest/gtest.h>

namespace npuprof::record {
namespace {

TEST(Ticks, MapIsExactAtPairsAndKeepsOrder) {
  TickMap map;
  map.add({1000, 5'000});
  map.add({3800, 6'000});  // 2.8 GHz.
  map.add({6600, 7'001});  // A little slower.
  map.add({9401, 8'001});
  EXPECT_EQ(map.piece_count(), 3u);
  EXPECT_EQ(map.to_ns(1000), 5'000);
  EXPECT_EQ(map.to_ns(3800), 6'000);
  EXPECT_EQ(map.to_ns(6600), 7'001);
  EXPECT_EQ(map.to_ns(2400), 5'500);
  std::int64_t before = map.to_ns(0);
  for (std::uint64_t ticks = 1; ticks < 12'000; ++ticks) {
    const std::int64_t ns = map.to_ns(ticks);
    EXPECT_LE(before, ns);
    EXPECT_LE(ns - before, 1);
    before = ns;
  }
}

TEST(Ticks, ResultsDoNotChangeWhenPairsAreAdded) {
  TickMap map;
  map.add({0, 100});
  map.add({2'800'000, 1'000'100});
  const std::int64_t first = map.to_ns(1'234'567);
  map.add({5'600'001, 2'000'100});
  EXPECT_EQ(map.to_ns(1'234'567), first);
}

TEST(Ticks, IgnoresAPairThatIsNotLater) {
  TickMap map;
  map.add({100, 100});
  map.add({200, 200});
  map.add({200, 300});
  map.add({150, 400});
  map.add({300, 200});
  EXPECT_EQ(map.piece_count(), 1u);
  EXPECT_EQ(map.to_ns(150), 150);
}

TEST(Ticks, ADayOfPairsStaysSmallAndRight) {
  TickMap map;
  constexpr std::uint64_t kPairs = 400'000;
  constexpr std::int64_t kStepNs = 200'000'000;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    map.add({i * 560'000'000, static_cast<std::int64_t>(i) * kStepNs + 77});
  }
  EXPECT_LE(map.piece_count(), std::size_t{1} << 16);
  for (std::uint64_t i = 0; i < kPairs; i += 997) {
    // A rate rounded to 2^-32 ns is off by some nanoseconds after minutes.
    EXPECT_NEAR(static_cast<double>(map.to_ns(i * 560'000'000) - 77),
                static_cast<double>(i) * kStepNs, 100);
  }
}

TEST(Ticks, FollowTheSystemClock) {
  TickMap map;
  map.add(read_tick_pair());
  timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
  ::nanosleep(&pause, nullptr);
  const std::int64_t before = clock_ns(CLOCK_MONOTONIC_RAW);
  const std::uint64_t ticks = now_ticks();
  const std::int64_t after = clock_ns(CLOCK_MONOTONIC_RAW);
  ::nanosleep(&pause, nullptr);
  map.add(read_tick_pair());
  constexpr std::int64_t kToleranceNs = 2'000;
  EXPECT_GE(map.to_ns(ticks), before - kToleranceNs);
  EXPECT_LE(map.to_ns(ticks), after + kToleranceNs);
}

TEST(Ticks, WallOffset) {
  const std::int64_t wall = clock_ns(CLOCK_REALTIME);
  const std::int64_t reckoned = clock_ns(CLOCK_MONOTONIC_RAW) + read_wall_offset_ns();
  EXPECT_GE(reckoned + 1'000'000, wall);
}

}  // namespace
}  // namespace npuprof::record
