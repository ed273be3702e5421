#include "format/framework/record_clock.h"

#include <limits>

#include <gtest/gtest.h>

#include "format/framework/profiler_info.h"

namespace npuprof::format::framework {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// The numbers of a real profile.
ClockSources real_sources() {
  ClockSources sources;
  sources.counter_enabled = true;
  sources.start_count = 17238197612056;
  sources.start_monotonic_ns = 172163581670080;
  sources.collection_time_end_ns = 1736408884023552840;
  sources.monotonic_time_end_ns = 172164265133640;
  return sources;
}

TEST(FrameworkClock, StampsAreNanosecondsWithoutACounter) {
  const Clock clock(false, 100, 5000, 7000, 11);
  EXPECT_EQ(clock.monotonic_ns(1234), 1234);
  EXPECT_EQ(clock.wall_ns(1234), 1245);
}

TEST(FrameworkClock, ConvertsTicksOfTheUsualFrequencyExactly) {
  const Clock clock(real_sources());
  EXPECT_EQ(clock.monotonic_ns(17238197612056), 172163581670080);
  EXPECT_EQ(clock.monotonic_ns(17238197612057), 172163581670090);
  EXPECT_EQ(clock.wall_ns(17238197612057), 172163581670090 + 1736408884023552840 - 172164265133640);
}

TEST(FrameworkClock, StaysExactWhereADoubleDoesNot) {
  // 24 MHz: 125 / 3 ns a tick. A double product is off at these distances.
  const Clock clock(true, 24, 0, 0, 0);
  EXPECT_EQ(clock.monotonic_ns(3), 125);
  EXPECT_EQ(clock.monotonic_ns(1), 41);
  EXPECT_EQ(clock.monotonic_ns(86'400'000'000'000'003), 86'400'000'000'000'003 / 3 * 125);
  const Clock fraction(true, 2399.998, 0, 0, 0);
  EXPECT_EQ(fraction.monotonic_ns(2'399'998'000), 1'000'000'000);
}

TEST(FrameworkClock, HostFilesWinOverProfilerInfo) {
  ClockSources sources = real_sources();
  sources.cpu_frequency = "50.000000";
  sources.host_count = 1000;
  sources.host_monotonic_ns = 2000;
  sources.collection_time_begin_us = "5000";
  sources.clock_monotonic_raw_ns = 1500;
  const Clock clock(sources);
  EXPECT_EQ(clock.monotonic_ns(1001), 2020);
  EXPECT_EQ(clock.wall_ns(1001), 2020 + 5'000'000 - 1500);
}

TEST(FrameworkClock, FallsBackWhenHostFilesSayNothing) {
  ClockSources sources = real_sources();
  sources.cpu_frequency = "unknown";  // The file exists: the default counts, not profiler_info.
  sources.start_frequency_mhz = 50;
  sources.host_count = 1000;                 // Half an anchor is none.
  sources.collection_time_begin_us = "1.5";  // An offset of 0 is none, either.
  sources.clock_monotonic_raw_ns = 1500;
  const Clock clock(sources);
  EXPECT_EQ(clock.monotonic_ns(17238197612057), 172163581670090);
  EXPECT_EQ(clock.wall_offset_ns(), 1736408884023552840 - 172164265133640);
  sources.cpu_frequency.reset();
  EXPECT_EQ(Clock(sources).monotonic_ns(17238197612057), 172163581670100);
}

TEST(FrameworkClock, NonsenseNumbersSaturate) {
  for (const double frequency : {0.0, -3.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(Clock(true, frequency, 0, 0, 0).monotonic_ns(1), 10) << frequency;
  }
  const Clock clock(true, 1, kLowest, kHighest, kHighest);
  EXPECT_EQ(clock.wall_ns(kHighest), kHighest);
  EXPECT_EQ(clock.wall_ns(kLowest), kHighest);
  EXPECT_EQ(Clock(true, 1, kHighest, kLowest, kLowest).wall_ns(kLowest), kLowest);
}

TEST(MicrosecondsText, KeepsThreeDecimals) {
  EXPECT_EQ(microseconds_text_to_ns("1736408883369312"), 1736408883369312000);
  EXPECT_EQ(microseconds_text_to_ns("12.3"), 12300);
  EXPECT_EQ(microseconds_text_to_ns("12.34567"), 12345);
  EXPECT_EQ(microseconds_text_to_ns("12."), 12000);
  EXPECT_FALSE(microseconds_text_to_ns(""));
  EXPECT_FALSE(microseconds_text_to_ns(".5"));
  EXPECT_FALSE(microseconds_text_to_ns("12x"));
  EXPECT_FALSE(microseconds_text_to_ns("9999999999999999999"));
}

TEST(FrameworkClock, ProfilerInfoGivesItsPartOfTheSources) {
  ProfilerInfo info;
  info.start = {.syscnt_enable = true, .freq_mhz = 50, .start_cnt = 7, .start_monotonic_ns = 70};
  info.end = {.collection_time_end_ns = 1000, .monotonic_time_end_ns = 100};
  const Clock clock(clock_sources(info));
  EXPECT_EQ(clock.wall_ns(8), 90 + 900);
}

}  // namespace
}  // namespace npuprof::format::framework
