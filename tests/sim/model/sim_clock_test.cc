#include "sim/model/sim_clock.h"

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

TEST(SimClock, ReaderFindsHostTimesWithinATick) {
  const SimClock clock({.seed = 3, .rank = 2});
  for (const std::int64_t time_ns : {3'000'000ll, 3'000'007ll, 12'345'678'901ll}) {
    const std::int64_t read = clock.wall_ns_of_host_time(time_ns);
    // start_info carries the wall clock in whole microseconds.
    EXPECT_LE(read, clock.wall_ns(time_ns));
    EXPECT_GT(read, clock.wall_ns(time_ns) - 1010);
  }
  // 10 ns per tick, exactly.
  EXPECT_EQ(clock.host_ticks(5'000'000) + 1, clock.host_ticks(5'000'010));
  EXPECT_EQ(clock.wall_ns_of_host_time(5'000'010) - clock.wall_ns_of_host_time(5'000'000), 10);
}

TEST(SimClock, AnchorsAreMomentsOfTheClocks) {
  const SimClock clock({.seed = 5});
  const ClockAnchors& anchors = clock.anchors();
  EXPECT_EQ(anchors.monotonic_begin_ns, clock.monotonic_ns(clock.begin_ns()));
  const std::int64_t host_anchor_ns = anchors.host_anchor_monotonic_ns - clock.monotonic_ns(0);
  EXPECT_EQ(anchors.host_anchor_ticks, clock.host_ticks(host_anchor_ns));
  const std::int64_t device_anchor_ns =
      anchors.device_anchor_host_monotonic_ns - clock.monotonic_ns(0);
  EXPECT_EQ(anchors.device_anchor_ticks, clock.device_ticks(device_anchor_ns));
  EXPECT_EQ(anchors.device_anchor_monotonic_ns, clock.device_monotonic_ns(device_anchor_ns));
  EXPECT_LT(host_anchor_ns, clock.first_event_ns());
  EXPECT_LT(device_anchor_ns, clock.first_event_ns());
  // Readers reject a run whose wall clock lies before its monotonic clock.
  EXPECT_GT(anchors.wall_begin_us * 1000, anchors.monotonic_begin_ns);
}

TEST(SimClock, DeviceEventsNeverAppearBeforeTheyHappened) {
  for (const double drift_ppm : {0.0, 0.05, 5.0, -3.0}) {
    const SimClock clock({.seed = 9, .device_drift_ppm = drift_ppm});
    for (std::int64_t time_ns = clock.first_event_ns(); time_ns < 100'000'000'000;
         time_ns = time_ns * 3 + 17) {
      const std::int64_t device = clock.wall_ns_of_device_time(time_ns);
      const std::int64_t host = clock.wall_ns_of_host_time(time_ns);
      EXPECT_GT(device + 20, host) << time_ns;
    }
  }
}

TEST(SimClock, DriftMakesDeviceEventsLate) {
  const SimClock clock({.seed = 9, .device_drift_ppm = 1.0});
  const std::int64_t ten_seconds = 10'000'000'000;
  const std::int64_t late =
      clock.wall_ns_of_device_time(ten_seconds) - clock.wall_ns_of_host_time(ten_seconds);
  EXPECT_GT(late, 4'900);
  EXPECT_LT(late, 15'100);
}

TEST(SimClock, RanksOfANodeShareTheHostClockOnly) {
  const SimClock first({.seed = 1, .node = 0, .rank = 0, .device = 0});
  const SimClock second({.seed = 1, .node = 0, .rank = 1, .device = 1});
  const SimClock elsewhere({.seed = 1, .node = 1, .rank = 8, .device = 0});
  EXPECT_EQ(first.host_ticks(9'000'000), second.host_ticks(9'000'000));
  EXPECT_NE(first.device_ticks(9'000'000), second.device_ticks(9'000'000));
  EXPECT_NE(first.begin_ns(), second.begin_ns());
  EXPECT_NE(first.host_ticks(9'000'000), elsewhere.host_ticks(9'000'000));
  EXPECT_NEAR(static_cast<double>(first.wall_ns_of_host_time(9'000'000) -
                                  elsewhere.wall_ns_of_host_time(9'000'000)),
              0.0, 1000.0);
}

TEST(SimClock, NanosecondDeviceCounterKeepsEveryNanosecond) {
  const SimClock clock({.seed = 1, .device_mhz = 1000, .device_drift_ppm = 0});
  const std::int64_t time_ns = clock.first_event_ns() + 123;
  EXPECT_EQ(clock.wall_ns_of_device_time(time_ns) + 1, clock.wall_ns_of_device_time(time_ns + 1));
}

}  // namespace
}  // namespace npuprof::sim
