#include "sim/prof/device_samples.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "format/device/l2_cache.h"
#include "format/device/module_names.h"
#include "sim/prof/device_data.h"
#include "temporary_directory.h"

namespace npuprof::sim {
namespace {

using format::device::ChipId;
using testing::read_device_data;
using testing::records_of;

constexpr std::int64_t kSecondNs = 1'000'000'000;

DeviceLoad steady_load() {
  DeviceLoad load;
  load.hbm_read_gb_s = 800;
  load.hbm_write_gb_s = 200;
  load.l2_hit_rate = 0.6;
  load.ai_core_utilization = 0.5;
  load.app_bytes = std::uint64_t{10} << 30;
  load.hccl_bytes = 400 << 20;
  load.runtime_bytes = 100 << 20;
  load.device_bytes = std::uint64_t{12} << 30;
  load.pcie = {2, 4};
  load.hccs = {20, 30};
  load.nic = {1, 2};
  load.roce = {5, 6};
  load.sio = {10, 12};
  return load;
}

class DeviceSamplesTest : public ::testing::Test {
 protected:
  // One second of samples.
  std::map<std::string, std::string> run(ChipId chip, DeviceSampleOptions options,
                                         const DeviceLoad& load) {
    npuprof::testing::TemporaryDirectory directory;
    DeviceSampleWriter writer(directory.path(), 0, chip, format::device::StreamMode::kNormal);
    const std::int64_t begin = clock_.first_event_ns();
    DeviceSamples samples(writer, clock_, chip, 0, begin, options);
    for (int part = 1; part <= 10; ++part) {
      samples.advance_to(begin + kSecondNs * part / 10, [&](std::int64_t) { return load; });
    }
    EXPECT_GT(samples.next_ns(), begin + kSecondNs);
    EXPECT_TRUE(writer.close().ok());
    return read_device_data(directory.path());
  }

  SimClock clock_{ClockOptions{}};
};

TEST_F(DeviceSamplesTest, TakesWhatWasAskedForAsOftenAsAsked) {
  const auto memory = run(ChipId::k910B, {.memory_hz = 50}, steady_load());
  EXPECT_EQ(records_of<format::device::HbmSample>(memory.at("hbm.data")).size(), 50u * 8);
  EXPECT_EQ(records_of<format::device::LlcSample>(memory.at("llc.data")).size(), 50u * 8 * 2);
  EXPECT_EQ(records_of<format::device::NpuMemorySample>(memory.at("npu_mem.app")).size(), 50u);
  EXPECT_EQ(records_of<format::device::NpuMemorySample>(memory.at("npu_mem.data")).size(), 50u);
  EXPECT_FALSE(memory.contains("pcie.data"));
  EXPECT_FALSE(memory.contains("nic.data"));
  const auto links = run(ChipId::k910B, {.interconnection_hz = 20, .io_hz = 100}, steady_load());
  EXPECT_EQ(records_of<format::device::PcieSample>(links.at("pcie.data")).size(), 20u);
  EXPECT_EQ(std::count(links.at("nic.data").begin(), links.at("nic.data").end(), '\n'), 101);
  EXPECT_FALSE(links.contains("hbm.data"));
  EXPECT_TRUE(run(ChipId::k910B, {}, steady_load()).empty());
}

TEST_F(DeviceSamplesTest, HbmRatesAreThoseOfTheLoad) {
  const auto data = run(ChipId::k910B, {.memory_hz = 50}, steady_load());
  double read_bytes = 0;
  double write_bytes = 0;
  std::uint64_t last_us = 0;
  for (const auto& sample : records_of<format::device::HbmSample>(data.at("hbm.data"))) {
    EXPECT_GE(sample.time_us, last_us);
    last_us = sample.time_us;
    EXPECT_LT(sample.hbm_id, 4u);
    (sample.is_read() ? read_bytes : write_bytes) += static_cast<double>(sample.count) * 32;
  }
  EXPECT_NEAR(read_bytes, 800e9, 8e9);
  EXPECT_NEAR(write_bytes, 200e9, 4e9);
}

TEST_F(DeviceSamplesTest, CacheHitsFollowTheRate) {
  const auto data = run(ChipId::k910B, {.memory_hz = 10}, steady_load());
  std::map<std::uint32_t, double> counts;
  for (const auto& sample : records_of<format::device::LlcSample>(data.at("llc.data"))) {
    counts[sample.event] += static_cast<double>(sample.count);
  }
  ASSERT_EQ(counts.size(), 8u);
  const auto& e = format::device::kLlcReadEvents;
  EXPECT_NEAR(
      (counts[e[2]] + counts[e[3]] + counts[e[5]] + counts[e[7]]) / (counts[e[4]] + counts[e[6]]),
      0.6, 1e-6);
  EXPECT_NEAR((counts[e[0]] + counts[e[1]]) * 64, 800e9, 16e9);
}

TEST_F(DeviceSamplesTest, TellsMemoryOfProcessDeviceAndModules) {
  const auto data = run(ChipId::k910B, {.memory_hz = 10}, steady_load());
  const DeviceLoad load = steady_load();
  const auto process = records_of<format::device::NpuMemorySample>(data.at("npu_mem.app")).front();
  EXPECT_EQ(process.scope, 0u);
  EXPECT_EQ(process.hbm_bytes, load.app_bytes + load.hccl_bytes + load.runtime_bytes);
  const auto device = records_of<format::device::NpuMemorySample>(data.at("npu_mem.data")).front();
  EXPECT_EQ(device.scope, 1u);
  EXPECT_EQ(device.hbm_bytes, load.device_bytes);
  const auto modules =
      records_of<format::device::ModuleMemorySample>(data.at("npu_module_mem.data"));
  ASSERT_EQ(modules.size(), 30u);
  EXPECT_EQ(format::device::module_name(modules[0].module_id), "HCCL");
  EXPECT_EQ(modules[0].reserved_bytes, load.hccl_bytes);
  EXPECT_EQ(format::device::module_name(modules[2].module_id), "APP");
}

TEST_F(DeviceSamplesTest, LinkCountersGrowWithTheTraffic) {
  const auto data = run(ChipId::k910B, {.interconnection_hz = 50, .io_hz = 100}, steady_load());
  std::vector<format::device::HccsSample> hccs;
  EXPECT_EQ(format::device::for_each_sample_line(
                data.at("hccs.data"), 1, "", format::device::parse_hccs_line,
                [&](const format::device::HccsSample& sample) { hccs.push_back(sample); }),
            0u);
  ASSERT_EQ(hccs.size(), 50u);
  for (std::size_t i = 1; i < hccs.size(); ++i) {
    EXPECT_GT(hccs[i].time_ns, hccs[i - 1].time_ns);
    EXPECT_GT(hccs[i].sent_bytes, hccs[i - 1].sent_bytes);
  }
  EXPECT_NEAR(static_cast<double>(hccs.back().received_bytes), 30e9, 1e9);
  std::vector<format::device::NetworkSample> roce;
  EXPECT_EQ(format::device::for_each_sample_line(
                data.at("roce.data"), 0, format::device::kNetworkHeaderMark,
                format::device::parse_network_line,
                [&](const format::device::NetworkSample& sample) { roce.push_back(sample); }),
            0u);
  ASSERT_EQ(roce.size(), 100u);
  EXPECT_NEAR(static_cast<double>(roce.back().sent.bytes), 5e9, 2e8);
  EXPECT_NEAR(roce.back().received.bytes_per_s, 6e9, 2e8);
  for (const auto& sample : records_of<format::device::PcieSample>(data.at("pcie.data"))) {
    EXPECT_TRUE(sample.is_valid());
    EXPECT_LE(sample.sent_posted.minimum, sample.sent_posted.average);
    EXPECT_LE(sample.sent_posted.average, sample.sent_posted.maximum);
  }
}

TEST_F(DeviceSamplesTest, DiesAndPathsStandInOneNumberedFile) {
  for (const ChipId chip : {ChipId::k910B, ChipId::k910_95}) {
    const auto data =
        run(chip, {.memory_hz = 10, .interconnection_hz = 10, .dual_die = true}, steady_load());
    std::map<format::device::StarsFunction, int> functions;
    unsigned sequence = 0;
    double sent = 0;
    for (const auto& record :
         records_of<format::device::SocSample>(data.at("stars_soc_profile.data"))) {
      EXPECT_TRUE(record.head.has_magic());
      EXPECT_EQ(record.head.sequence(), sequence++ % 16);
      ++functions[record.head.function()];
      if (chip == ChipId::k910B && record.head.function() == format::device::StarsFunction::kSio) {
        const auto sio = record.as<format::device::SioSample>();
        if (sio.die_id == 0) sent += sio.sent.data;
      }
    }
    EXPECT_EQ(functions[format::device::StarsFunction::kSio], 20);
    EXPECT_EQ(functions[format::device::StarsFunction::kAccPmu], 10);
    EXPECT_EQ(functions[format::device::StarsFunction::kInterSoc], 10);
    EXPECT_EQ(functions[format::device::StarsFunction::kChipTrans],
              chip == ChipId::k910B ? 20 : 10);
    if (chip == ChipId::k910B) {
      EXPECT_NEAR(sent, 9.3e9, 5e8);
    }
  }
}

TEST_F(DeviceSamplesTest, IsTheSameEveryTimeAndSilentWithoutLoad) {
  const DeviceSampleOptions all{
      .memory_hz = 50, .interconnection_hz = 50, .io_hz = 100, .dual_die = true};
  EXPECT_EQ(run(ChipId::k910B, all, steady_load()), run(ChipId::k910B, all, steady_load()));
  DeviceSampleOptions other = all;
  other.seed = 2;
  EXPECT_NE(run(ChipId::k910B, all, steady_load()).at("hbm.data"),
            run(ChipId::k910B, other, steady_load()).at("hbm.data"));
  const auto idle = run(ChipId::k910B, all, {});
  for (const auto& sample : records_of<format::device::HbmSample>(idle.at("hbm.data"))) {
    EXPECT_EQ(sample.count, 0u);
  }
}

TEST(DeviceSampleWriterTest, WritesRecordsOfKernels) {
  const std::uint64_t counters[] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const ChipId chip : {ChipId::k910B, ChipId::k910_95}) {
    npuprof::testing::TemporaryDirectory directory;
    DeviceSampleWriter writer(directory.path(), 1, chip, format::device::StreamMode::kNormal);
    writer.l2_cache(3, 4, 0, counters);
    writer.soc_pmu(format::device::SocPmuKind::kSmmu, 3, 5, 0, counters);
    writer.aicpu_node(3, 6, 1000, {.run_start_tick = 1001, .run_end_tick = 1100, .thread_id = 77});
    writer.ddr({.time_us = 1});
    for (std::uint32_t i = 0; i < 60; ++i) writer.ai_core_mhz(1000 + i, 1800 - i);
    ASSERT_TRUE(writer.close().ok());
    const auto data = read_device_data(directory.path());
    EXPECT_EQ(records_of<format::device::L2CacheRecord>(data.at("l2_cache.data")).at(0).counters[7],
              8u);
    if (chip == ChipId::k910B) {
      const auto soc = records_of<format::device::SocPmuRecord>(data.at("socpmu.data")).at(0);
      EXPECT_EQ(soc.soc_pmu_kind(), format::device::SocPmuKind::kSmmu);
      EXPECT_EQ(soc.raw_task, 5);
    } else {
      const auto soc = records_of<format::device::SocPmuRecordV6>(data.at("socpmu.data")).at(0);
      EXPECT_EQ(soc.task_id, 5u);
    }
    const auto node = records_of<format::device::AiCpuNode>(data.at("aicpu.data")).at(0);
    EXPECT_EQ(node.header.level, 6000);
    EXPECT_EQ(node.raw_task, 6);
    EXPECT_EQ(node.times.run_end_tick, 1100u);
    const auto frequencies =
        records_of<format::device::FrequencyRecord>(data.at("lpmFreqConv.data"));
    ASSERT_EQ(frequencies.size(), 2u);
    EXPECT_EQ(frequencies[0].used().size(), 55u);
    EXPECT_EQ(frequencies[1].used().size(), 5u);
    EXPECT_EQ(frequencies[1].used()[4].value, 1741u);
  }
}

}  // namespace
}  // namespace npuprof::sim
