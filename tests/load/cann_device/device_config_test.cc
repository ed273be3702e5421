#include "load/cann_device/device_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw_device.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RawDevice;

class DeviceConfigTest : public ::testing::Test {
 protected:
  DeviceConfig read() {
    device_.write_control();
    Result<DeviceConfig> config = try_read();
    EXPECT_TRUE(config.ok());
    return std::move(*config);
  }
  Result<DeviceConfig> try_read() {
    trace::Losses ignored;
    const DeviceFiles files(device_.path(), RawDevice::kDevice, ignored);
    return read_device_config(device_.path(), RawDevice::kDevice, host_, files, losses_);
  }

  RawDevice device_;
  HostSession host_;
  trace::Losses losses_;
};

TEST_F(DeviceConfigTest, MapsTheDeviceCounterToWallTime) {
  const DeviceConfig config = read();
  EXPECT_EQ(config.info.counter_begin_ns, RawDevice::kStartNs);
  EXPECT_EQ(config.clock.from_syscnt(1001000), RawDevice::kStartNs + 20000);
  EXPECT_EQ(config.clock.from_syscnt(999999), RawDevice::kStartNs - 20);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(DeviceConfigTest, AddsTheDifferenceBetweenTheReadingsOfTheHostCounter) {
  device_.info.cpus.resize(1);
  device_.info.cpus[0].frequency_mhz = 100;
  device_.host_log.counter_diff = 12;
  const DeviceConfig config = read();
  EXPECT_EQ(config.clock.start_ns, RawDevice::kStartNs + 120);
  EXPECT_EQ(config.clock.from_host_ticks(510), RawDevice::kStartNs + 120 + 100);
}

TEST_F(DeviceConfigTest, IsExactForFrequenciesWithAFraction) {
  device_.info.device_info[0].hwts_frequency_mhz = 38.4;
  const DeviceConfig config = read();
  // 384 million ticks are exactly ten seconds; one tick is 26.04 ns, of which the whole count.
  EXPECT_EQ(config.clock.from_syscnt(1000000 + 384'000'000), RawDevice::kStartNs + 10'000'000'000);
  EXPECT_EQ(config.clock.from_syscnt(1000001), RawDevice::kStartNs + 26);
}

TEST_F(DeviceConfigTest, MapsTheOtherClocks) {
  const DeviceConfig config = read();
  EXPECT_EQ(config.clock.from_device_monotonic(900'000'123), RawDevice::kStartNs + 123);
  EXPECT_EQ(config.clock.from_start_us(5), RawDevice::kStartNs + 5000);
  EXPECT_EQ(config.clock.from_host_monotonic(7'000'000'001), RawDevice::kStartNs + 1);
  // Without a host frequency host stamps are monotonic ns.
  EXPECT_EQ(config.clock.from_host_ticks(7'000'000'001), RawDevice::kStartNs + 1);
}

TEST_F(DeviceConfigTest, ReadsWhatWasCollected) {
  device_.sample.task_block = "on";
  device_.sample.l2_cache_events = "0xf6, 0xfb";
  device_.sample.npu_events = "HA:0x1;SMMU:0x2,0x8a";
  device_.sample.qos_events = "HA,AICORE";
  device_.sample.llc_profiling = "read";
  const trace::DeviceInfo info = read().info;
  EXPECT_EQ(info.id, 3);
  EXPECT_EQ(info.chip, 5u);
  EXPECT_EQ(info.ai_core_count, 24u);
  EXPECT_EQ(info.vector_core_count, 48u);
  EXPECT_EQ(info.aic_mhz, 1650);
  EXPECT_EQ(info.counter_mhz, 50);
  EXPECT_EQ(info.aic_metrics, "PipeUtilizationExct");
  EXPECT_THAT(info.aic_events, ElementsAre(0x416, 0x417, 0x9, 0x302, 0xC, 0x303, 0x54, 0x55));
  EXPECT_THAT(info.l2_events, ElementsAre(0xF6, 0xFB));
  EXPECT_THAT(info.smmu_events, ElementsAre(0x2, 0x8A));
  EXPECT_THAT(info.qos_streams, ElementsAre("HA", "AICORE"));
  EXPECT_EQ(info.llc_mode, "read");
  EXPECT_TRUE(info.task_blocks);
  EXPECT_FALSE(info.sample_based);
}

TEST_F(DeviceConfigTest, FlipsAreUsedWhereTheDriverWritesThem) {
  EXPECT_TRUE(read().uses_flips);
  device_.info.driver_version = 0x072210;
  EXPECT_FALSE(read().uses_flips);
  device_.info.driver_version = 0x072211;
  device_.info.platform_version = 15;
  EXPECT_FALSE(read().uses_flips);
}

TEST_F(DeviceConfigTest, FallsBackOnTheUsualFrequencyAndTheHostsStart) {
  device_.info.device_info[0].hwts_frequency_mhz.reset();
  device_.write_control();
  std::filesystem::remove(device_.path() / "start_info.3");
  host_.monotonic_to_wall_ns = 5;
  const auto config = try_read();
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->info.counter_mhz, 50);
  EXPECT_EQ(config->clock.start_ns, 7'000'000'005);
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("hwts_frequency"));
}

TEST_F(DeviceConfigTest, FailsWithoutAKnownChip) {
  device_.info.platform_version = 99;
  device_.write_control();
  EXPECT_FALSE(try_read().ok());
  std::filesystem::remove(device_.path() / "info.json.3");
  EXPECT_FALSE(try_read().ok());
}

}  // namespace
}  // namespace npuprof::load
