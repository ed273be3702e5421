#include "base/clock.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/extremes.h"

namespace npuprof {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t kMaximumTicks = std::numeric_limits<std::uint64_t>::max();

TEST(TickClock, ConvertsAroundItsAnchor) {
  const TickClock clock{
      .ticks_at_anchor = 1000, .ns_at_anchor = 5'000'000, .frequency_hz = 50'000'000};
  EXPECT_EQ(clock.to_ns(1000), 5'000'000);
  EXPECT_EQ(clock.to_ns(1001), 5'000'020);
  EXPECT_EQ(clock.to_ns(999), 4'999'980);
  EXPECT_EQ(clock.to_ns(0), 4'980'000);
  EXPECT_EQ(clock.duration_ns(3), 60);
  EXPECT_EQ(clock.to_ticks(5'000'000), 1000u);
  EXPECT_EQ(clock.to_ticks(5'000'001), 1001u);
  EXPECT_EQ(clock.to_ticks(4'999'999), 1000u);
  EXPECT_EQ(clock.to_ticks(4'999'980), 999u);
}

TEST(TickClock, RoundsTowardsThePastOnBothSidesOfTheAnchor) {
  // One tick is 26.04166... ns.
  const TickClock clock{.ticks_at_anchor = 100, .ns_at_anchor = 0, .frequency_hz = 38'400'000};
  EXPECT_EQ(clock.to_ns(101), 26);
  EXPECT_EQ(clock.to_ns(99), -27);
  EXPECT_EQ(clock.to_ns(100 - 24), -625);  // 24 ticks are exactly 625 ns.
  EXPECT_EQ(clock.to_ns(100 + 24), 625);
}

TEST(TickClock, IsTheIdentityWithoutAFrequency) {
  const TickClock clock{.ticks_at_anchor = 7, .ns_at_anchor = 9, .frequency_hz = 0};
  EXPECT_EQ(clock.to_ns(123), 123);
  EXPECT_EQ(clock.duration_ns(123), 123);
  EXPECT_EQ(clock.to_ticks(123), 123u);
  EXPECT_EQ(clock.to_ticks(-1), 0u);
  EXPECT_EQ(clock.to_ns(kMaximumTicks), kMaximum);
}

TEST(TickClock, StopsAtTheEndsOfItsTypes) {
  const TickClock slow{.ticks_at_anchor = 0, .ns_at_anchor = 0, .frequency_hz = 1};
  EXPECT_EQ(slow.to_ns(kMaximumTicks), kMaximum);
  EXPECT_EQ(slow.duration_ns(kMaximumTicks), kMaximum);
  const TickClock late{
      .ticks_at_anchor = kMaximumTicks, .ns_at_anchor = kMinimum, .frequency_hz = 1};
  EXPECT_EQ(late.to_ns(0), kMinimum);
  EXPECT_EQ(late.to_ns(kMaximumTicks), kMinimum);
  EXPECT_EQ(late.to_ticks(kMaximum), kMaximumTicks);
  const TickClock early{.ticks_at_anchor = 0, .ns_at_anchor = kMaximum, .frequency_hz = 1'000};
  EXPECT_EQ(early.to_ticks(kMinimum), 0u);
}

// floor(a / b) for b > 0, straight from the definition.
Wide floor_divide(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

TEST(TickClock, AgreesWithWideArithmeticAndRoundTrips) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200'000; ++i) {
    TickClock clock;
    clock.ticks_at_anchor = random() >> (1 + random() % 40);
    clock.ns_at_anchor = static_cast<std::int64_t>(random() >> (2 + random() % 40));
    // Mostly real frequencies, now and then one that needs the 128-bit path.
    clock.frequency_hz = i % 10 == 0 ? (random() >> 1) + 1 : 1'000'000 + random() % 999'000'001;
    const std::uint64_t ticks = random() >> (1 + random() % 40);
    const Wide expected = clock.ns_at_anchor + floor_divide((Wide{ticks} - clock.ticks_at_anchor) *
                                                                kNanosecondsPerSecond,
                                                            clock.frequency_hz);
    if (expected < kMinimum || expected > kMaximum) continue;
    const std::int64_t ns = clock.to_ns(ticks);
    ASSERT_EQ(ns, static_cast<std::int64_t>(expected));
    if (clock.frequency_hz <= kNanosecondsPerSecond) {
      ASSERT_EQ(clock.to_ticks(ns), ticks);
    }
  }
}

}  // namespace
}  // namespace npuprof
