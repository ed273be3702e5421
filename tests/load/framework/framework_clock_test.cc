#include "load/framework/framework_clock.h"

#include <gmock/gmock.h>

#include "load/framework/raw_framework.h"

namespace npuprof::load {
namespace {

using format::framework::ProfilerInfo;
using ::testing::IsEmpty;
using testing::RawProfile;
using ::testing::SizeIs;

// A counter of 100 MHz that showed 1'000 at monotonic time 50'000; the profile ended at wall time
// 9'000'000 and monotonic time 1'000'000.
ProfilerInfo counter_info() {
  ProfilerInfo info;
  info.start.syscnt_enable = true;
  info.start.freq_mhz = 100;
  info.start.start_cnt = 1'000;
  info.start.start_monotonic_ns = 50'000;
  info.end.collection_time_end_ns = 9'000'000;
  info.end.monotonic_time_end_ns = 1'000'000;
  return info;
}

std::int64_t wall_time_ns(const RawProfile& raw, const std::optional<ProfilerInfo>& info,
                          std::int64_t stamp) {
  trace::Losses losses;
  const auto clock = framework_clock(raw.profile, info, stamp, {}, losses);
  EXPECT_THAT(losses.items(), IsEmpty());
  return clock.wall_ns(stamp);
}

TEST(FrameworkClock, UsesProfilerInfoAlone) {
  EXPECT_EQ(wall_time_ns(RawProfile(), counter_info(), 1'005), 50'050 + 8'000'000);
}

TEST(FrameworkClock, PrefersTheControlFilesOfTheCannData) {
  RawProfile raw;
  raw.put_host("info.json", R"({"CPU": [{"Frequency": "50.000000"}]})");
  raw.put_host("host_start.log", "[Host]\nclock_monotonic_raw: 60000\ncntvct: 2000\n");
  raw.put_host("start_info", R"({"collectionTimeBegin": "5000000", "clockMonotonicRaw": "40000"})");
  EXPECT_EQ(wall_time_ns(raw, counter_info(), 2'003), 60'060 + 4'999'960'000);
}

TEST(FrameworkClock, AFrequencyThatIsNoNumberMeans100Mhz) {
  RawProfile raw;
  raw.put_host("info.json", R"({"CPU": [{"Frequency": ""}]})");
  auto info = counter_info();
  info.start.freq_mhz = 50;
  EXPECT_EQ(wall_time_ns(raw, info, 1'005), 50'050 + 8'000'000);
}

TEST(FrameworkClock, WithoutProfilerInfoFindsOutWhetherStampsAreTicks) {
  RawProfile raw;
  raw.put_host("info.json", R"({"CPU": [{"Frequency": "100.000000"}]})");
  raw.put_host("host_start.log", "[Host]\nclock_monotonic_raw: 900000000\ncntvct: 70000\n");
  raw.put_host("start_info",
               R"({"collectionTimeBegin": "2000000", "clockMonotonicRaw": "900000000"})");
  EXPECT_EQ(wall_time_ns(raw, std::nullopt, 70'001), 900'000'010 + 1'100'000'000);
  EXPECT_EQ(wall_time_ns(raw, std::nullopt, 900'000'500), 900'000'500 + 1'100'000'000);
}

TEST(FrameworkClock, WithNothingKnownStampsStayAsTheyAre) {
  EXPECT_EQ(wall_time_ns(RawProfile(), std::nullopt, 123), 123);
}

TEST(FrameworkClock, ADamagedControlFileIsALoss) {
  RawProfile raw;
  raw.put_host("info.json", "{");
  raw.put_host("start_info", "{");
  trace::Losses losses;
  framework_clock(raw.profile, counter_info(), std::nullopt, {}, losses);
  EXPECT_THAT(losses.items(), SizeIs(2));
}

}  // namespace
}  // namespace npuprof::load
