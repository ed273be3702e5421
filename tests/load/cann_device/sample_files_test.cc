// Files of periodic samples: memory, links, caches, instruction profiling, communication units.

#include <algorithm>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/ccu.h"
#include "format/device/instruction_profile.h"
#include "format/device/instruction_words.h"
#include "format/device/l2_cache.h"
#include "format/device/link_text.h"
#include "format/device/links.h"
#include "format/device/memory_samples.h"
#include "format/device/soc_pmu.h"
#include "format/device/stars_soc_profile.h"
#include "raw_device.h"
#include "trace/device/cache_counters.h"
#include "trace/device/ccu_channels.h"
#include "trace/device/ccu_missions.h"
#include "trace/device/device_memory.h"
#include "trace/device/frequencies.h"
#include "trace/device/instruction_samples.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pipe_intervals.h"

namespace npuprof::load {
namespace {

using namespace format::device;
using ::testing::ElementsAre;
using testing::RawDevice;
using trace::LinkKind;

std::vector<double> first_values(const trace::LinkSamples& samples, std::size_t row,
                                 std::size_t count) {
  return {samples.values[row].begin(), samples.values[row].begin() + static_cast<long>(count)};
}

TEST(MemoryFilesTest, BandwidthSamples) {
  RawDevice device;
  device.write_records<HbmSample>("hbm.data", {{5, 90000, 0, 2}, {5, 90300, 7, 2}});
  device.write_records<LlcSample>("llc.data", {{6, 11, 0x13, 1}});
  device.write_records<DdrSample>("ddr.data", {{7, 12, 1, 3, DdrSample::kNoMaster}});
  const trace::Trace trace = device.load();
  const trace::MemoryBandwidth& table = trace.memory_bandwidth();
  EXPECT_THAT(table.kind, ElementsAre(0, 0, 2, 1));
  EXPECT_THAT(table.unit, ElementsAre(2, 2, 1, 3));
  EXPECT_THAT(table.event, ElementsAre(0, 1, 0x13, 1));
  EXPECT_THAT(table.count, ElementsAre(90000, 90300, 11, 12));
  EXPECT_THAT(table.time_ns, ElementsAre(RawDevice::kStartNs + 5000, RawDevice::kStartNs + 5000,
                                         RawDevice::kStartNs + 6000, RawDevice::kStartNs + 7000));
}

// Whenever that is: while marks are checked, files listed or opened.
TEST(MemoryFilesTest, AFileThatIsRemovedMeanwhileIsReadOrMissed) {
  RawDevice device;
  const auto write_mark = [&](const std::filesystem::path& file) {
    ASSERT_TRUE(write_file(file.native() + ".done", format::host::make_slice_done(16)).ok());
  };
  // Checking many marks takes a while.
  for (int i = 0; i < 40; ++i) {
    const std::string base = fmt::format("nic{}.data", i);
    device.write_text(base, std::string(16, ' '));
    write_mark(device.data() / format::host::make_device_file_name(base, RawDevice::kDevice, 0));
  }
  const auto samples =
      device.data() / format::host::make_device_file_name("hbm.data", RawDevice::kDevice, 0);
  write_mark(samples);
  for (int attempt = 0; attempt < 20; ++attempt) {
    device.write_records<HbmSample>("hbm.data", {{5, 90000, 0, 2}});
    std::thread remover([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * attempt));
      std::filesystem::remove(samples);
    });
    const trace::Trace trace = device.load();
    remover.join();
    const auto& losses = device.losses.items();
    const bool is_told = std::any_of(losses.begin(), losses.end(), [&](const trace::Loss& loss) {
      return loss.file == samples.native();
    });
    EXPECT_TRUE(trace.memory_bandwidth().size() == 1 || is_told) << attempt;
  }
}

TEST(MemoryFilesTest, SecondVersionOfTheSamples) {
  RawDevice device;
  device.info.version = "2.0";
  HbmSampleV2 hbm{};
  hbm.direction = 1;
  hbm.hbm_id = 3;
  hbm.count = 5;
  hbm.time_ns = 7'000'000'100;
  device.write_records<HbmSampleV2>("hbm.data", {hbm});
  NpuMemorySample memory{};
  memory.time_v2 = 7'000'000'200;
  memory.scope = 1;
  memory.hbm_bytes = 42;
  device.write_records<NpuMemorySample>("npu_mem.data", {memory});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.memory_bandwidth().time_ns, ElementsAre(RawDevice::kStartNs + 100));
  EXPECT_THAT(trace.device_memory().time_ns, ElementsAre(RawDevice::kStartNs + 200));
  EXPECT_THAT(trace.device_memory().hbm_bytes, ElementsAre(42));
}

TEST(MemoryFilesTest, ProcessDeviceAndModules) {
  RawDevice device;
  NpuMemorySample memory{};
  memory.time_us = 3;
  memory.ddr_bytes = 1;
  memory.hbm_bytes = 2;
  NpuMemorySample damaged{};
  damaged.scope = 9;
  device.write_records<NpuMemorySample>("npu_mem.app", {memory, damaged});
  ModuleMemorySample module{};
  module.module_id = 33;
  module.host_ticks = 7'000'000'050;
  module.reserved_bytes = 1 << 20;
  ModuleMemorySample unknown = module;
  unknown.reserved_bytes = std::uint64_t{1} << 63;
  device.write_records<ModuleMemorySample>("npu_module_mem.data", {module, unknown});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.device_memory().event, ElementsAre(0));
  EXPECT_THAT(trace.device_memory().ddr_bytes, ElementsAre(1));
  EXPECT_THAT(trace.module_memory().module, ElementsAre(33, 33));
  EXPECT_THAT(trace.module_memory().reserved_bytes, ElementsAre(1 << 20, -1));
  EXPECT_THAT(trace.module_memory().time_ns,
              ElementsAre(RawDevice::kStartNs + 50, RawDevice::kStartNs + 50));
  EXPECT_EQ(device.losses.items().size(), 1u);
}

TEST(LinkFilesTest, BinarySamples) {
  RawDevice device;
  PcieSample pcie{};
  pcie.time_ns = 900'000'010;
  pcie.device_id = 1;
  pcie.sent_posted = {MinMaxAverage{1, 3, 2}};
  pcie.sent_non_posted.minimum = MinMaxAverage::kNone;
  pcie.received_completion.average = 21;
  PcieSample contradiction{};
  contradiction.sent_posted.minimum = 5;
  device.write_records<PcieSample>("pcie.data", {pcie, contradiction});
  QosSample qos{};
  qos.syscnt = 1000010;
  qos.bandwidth[9] = 99;
  device.write_records<QosSample>("qos.data", {qos});
  UbSample ub{};
  ub.port = 4;
  ub.time_us = 8;
  ub.udma_sent = 7;
  ub.sent.dropped = 13;
  device.write_records<UbSample>("ub.data", {ub});
  const trace::Trace trace = device.load();
  const trace::LinkSamples& table = trace.link_samples();
  EXPECT_THAT(table.kind,
              ElementsAre(static_cast<int>(LinkKind::kPcie), static_cast<int>(LinkKind::kUb),
                          static_cast<int>(LinkKind::kQos)));
  EXPECT_THAT(first_values(table, 0, 4), ElementsAre(1, 3, 2, 0));
  EXPECT_EQ(table.values[0][20], 21);
  EXPECT_EQ(table.time_ns[0], RawDevice::kStartNs + 10);
  EXPECT_EQ(table.unit[1], 4u);
  EXPECT_EQ(table.values[1][1], 7);
  EXPECT_EQ(table.values[1][13], 13);
  EXPECT_EQ(table.values[2][9], 99);
  EXPECT_EQ(table.time_ns[2], RawDevice::at(1000010));
}

TEST(LinkFilesTest, TextSamples) {
  RawDevice device;
  std::string hccs = std::string(kHccsHeader) + "\n";
  append_hccs_line(hccs, {900'000'020, 1000, 2000});
  hccs += "no numbers here\n";
  device.write_text("hccs.data", hccs);
  NetworkSample network;
  network.time_ns = 900'000'030;
  network.bandwidth_mb_s = 200000;
  network.received.packets = 5;
  network.sent.dropped = 6;
  network.function_id = 1;
  std::string roce = std::string(kNetworkHeader) + "\n";
  append_network_line(roce, network);
  device.write_text("roce.data", roce);
  NetdevSample netdev;
  netdev.time_ns = 7'000'000'040;
  netdev.counters[14] = 15;
  std::string stats;
  append_netdev_line(stats, netdev);
  device.write_text("netdev_stats.data", stats);
  device.write_text("dvpp.data", "time dvppId engine_type\n1:5 0 4 2 10 20 30% 1 2 3% 4 5\n");
  const trace::Trace trace = device.load();
  const trace::LinkSamples& table = trace.link_samples();
  ASSERT_THAT(table.kind,
              ElementsAre(static_cast<int>(LinkKind::kHccs), static_cast<int>(LinkKind::kRoce),
                          static_cast<int>(LinkKind::kNetdev), static_cast<int>(LinkKind::kDvpp)))
      << testing::describe(device.losses);
  EXPECT_THAT(first_values(table, 0, 2), ElementsAre(1000, 2000));
  EXPECT_EQ(table.time_ns[0], RawDevice::kStartNs + 20);
  EXPECT_EQ(table.values[1][0], 200000);
  EXPECT_EQ(table.values[1][3], 5);
  EXPECT_EQ(table.values[1][12], 6);
  EXPECT_EQ(table.unit[1], 1u);
  EXPECT_EQ(table.values[2][14], 15);
  EXPECT_EQ(table.time_ns[2], RawDevice::kStartNs + 40);
  EXPECT_THAT(first_values(table, 3, 5), ElementsAre(4, 2, 10, 20, 30));
  ASSERT_EQ(device.losses.items().size(), 1u);
  EXPECT_EQ(device.losses.items()[0].records, 1u);
}

TEST(SocProfileTest, SamplesOfChip5) {
  RawDevice device;
  SioSample sio{};
  sio.head = StarsHead::make(StarsFunction::kSio, 0, 0);
  sio.syscnt = 1000010;
  sio.die_id = 1;
  sio.received.request = 1;
  sio.sent.data = 8;
  ChipTransSample link{};
  link.head = StarsHead::make(StarsFunction::kChipTrans, 0, ChipTransSample::kPaLinkUnit);
  link.link = 2;
  link.received = 5;
  link.sent = 6;
  InterSocSample levels{};
  levels.head = StarsHead::make(StarsFunction::kInterSoc, 0, 0);
  levels.levels = InterSocSample::pack_levels(3, 77);
  device.write_text("stars_soc_profile.data",
                    testing::bytes(sio) + testing::bytes(link) + testing::bytes(levels));
  const trace::Trace trace = device.load();
  const trace::LinkSamples& table = trace.link_samples();
  ASSERT_THAT(table.kind,
              ElementsAre(static_cast<int>(LinkKind::kSio), static_cast<int>(LinkKind::kPaLink),
                          static_cast<int>(LinkKind::kSocLevel)));
  EXPECT_EQ(table.unit[0], 1u);
  EXPECT_THAT(first_values(table, 0, 8), ElementsAre(1, 0, 0, 0, 0, 0, 0, 8));
  EXPECT_THAT(first_values(table, 1, 2), ElementsAre(5, 6));
  EXPECT_THAT(first_values(table, 2, 2), ElementsAre(77, 3));
}

TEST(SocProfileTest, PowerAndQosOfChip15) {
  RawDevice device(15);
  LowPowerSample power{};
  power.head = StarsHead::make(StarsFunction::kLowPower, 0, 1);
  power.syscnt = 1000010;
  power.set_channel(LowPowerSample::kAiCoreMhzChannel, 1650);
  QosSampleV6 qos{};
  qos.head = StarsHead::make(StarsFunction::kQos, 0, 1);
  qos.bandwidth[2] = 5;
  ChipTransSampleV6 invalid{};
  invalid.head = StarsHead::make(StarsFunction::kChipTrans, 0, 0);
  invalid.read = ChipTransSampleV6::kInvalid;
  device.write_text("stars_soc_profile.data",
                    testing::bytes(power) + testing::bytes(qos) + testing::bytes(invalid));
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.frequencies().value, ElementsAre(1650));
  EXPECT_THAT(trace.frequencies().die, ElementsAre(1));
  ASSERT_EQ(trace.link_samples().size(), 1u);
  EXPECT_EQ(trace.link_samples().values[0][0], 5);
}

TEST(CacheFilesTest, CountersOfKernels) {
  RawDevice device;
  L2CacheRecord l2{};
  l2.raw_stream = 0x2005;
  l2.raw_task = 4;
  l2.counters[7] = 9;
  device.write_records<L2CacheRecord>("l2_cache.data", {l2});
  SocPmuRecord smmu{};
  smmu.kind = static_cast<std::uint16_t>(SocPmuKind::kSmmu);
  smmu.raw_task = 6;
  smmu.counters[0] = 1;
  SocPmuRecord unknown = smmu;
  unknown.kind = 3;
  device.write_records<SocPmuRecord>("socpmu.data", {smmu, unknown});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.cache_counters().stream, ElementsAre(4, 0));
  EXPECT_THAT(trace.cache_counters().task, ElementsAre(5, 6));
  EXPECT_THAT(trace.cache_counters().kind, ElementsAre(0, 1));
  EXPECT_EQ(trace.cache_counters().counts[0][7], 9u);
  EXPECT_EQ(device.losses.items().size(), 1u);
}

TEST(InstructionFilesTest, CyclesAreDifferencesModulo4096) {
  RawDevice device;
  const auto record = [](std::uint64_t syscnt, std::uint16_t vector_cycles) {
    VectorInstructionRecord vector{};
    vector.cycles.set_syscnt(syscnt);
    vector.cycles.set_number(0, vector_cycles);
    return vector;
  };
  device.write_records<VectorInstructionRecord>(
      "instr.group_1_aiv1", {record(1000100, 4000), record(1000200, 100), record(1000300, 150)});
  const trace::Trace trace = device.load();
  const trace::InstructionSamples& table = trace.instruction_samples();
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.cycles[0][0], 196);
  EXPECT_EQ(table.cycles[1][0], 50);
  EXPECT_EQ(table.core_id[0], 28);
  EXPECT_EQ(table.time_ns[0], RawDevice::at(1000200));
}

TEST(InstructionFilesTest, CubeCoresHaveTraffic) {
  RawDevice device;
  const auto record = [](std::uint64_t syscnt) {
    FlowSample flow{};
    flow.syscnt = syscnt;
    flow.read_commands = 3;
    flow.write_flux_l2 = U24::make(70000);
    flow.l2_hits = 9;
    CubeInstructionRecord cube{};
    cube.set(flow, CycleSample{});
    return cube;
  };
  device.write_records<CubeInstructionRecord>("instr.group_2_aic",
                                              {record(1000100), record(1000200)});
  const trace::Trace trace = device.load();
  ASSERT_EQ(trace.instruction_samples().size(), 1u);
  EXPECT_THAT(trace.instruction_samples().traffic[0], ElementsAre(3, 0, 0, 0, 0, 0, 0, 70000, 9));
  EXPECT_EQ(trace.instruction_samples().time_ns[0], RawDevice::at(1000200));
}

TEST(InstructionFilesTest, PipeStatesOfChip15) {
  RawDevice device(15);
  device.info.device_info[0].aic_frequency_mhz = 100;  // Two cycles a tick.
  std::vector<InstructionWord> words;
  for (const InstructionWord word : make_start_stamp(1000100, 5)) words.push_back(word);
  words.push_back(InstructionWord::make(InstructionWord::kState, 1u << 2, 20));
  words.push_back(InstructionWord::make(InstructionWord::kState, 0, 40));
  device.write_records<InstructionWord>("instr.biu_perf_group3_aiv0", words);
  const trace::Trace trace = device.load();
  const trace::PipeIntervals& table = trace.pipe_intervals();
  ASSERT_EQ(table.size(), 1u) << testing::describe(device.losses);
  EXPECT_EQ(table.pipe[0], 2);
  EXPECT_EQ(table.group[0], 3);
  EXPECT_EQ(table.core[0], 1);
  EXPECT_EQ(table.block[0], 5);
  EXPECT_EQ(table.start_ns[0], RawDevice::at(1000110));
  EXPECT_EQ(table.end_ns[0], RawDevice::at(1000130));
}

TEST(CcuFilesTest, MissionsAndChannels) {
  RawDevice device(15);
  CcuMission mission{};
  mission.task_id = 8;
  mission.set_cke_start = 1000100;
  mission.set_cke_id = 4;
  mission.relative_ends[15] = 5;  // Rank 0.
  mission.loop_start = 1000090;
  mission.loop_end = 1000200;
  mission.loop_id = 6;
  device.write_records<CcuMission>("ccu1.instr", {mission});
  CcuChannelDelays channels{};
  channels.set_channel(120, {1000100, 3, 2, 4});
  device.write_records<CcuChannelDelays>("ccu0.stat", {channels});
  const trace::Trace trace = device.load();
  const trace::CcuMissions& table = trace.ccu_missions();
  EXPECT_THAT(table.loop_instruction, ElementsAre(6));
  EXPECT_THAT(table.loop_end_ns, ElementsAre(RawDevice::at(1000200)));
  EXPECT_THAT(table.wait_instruction, ElementsAre(4));
  EXPECT_THAT(table.wait_ns, ElementsAre(trace::CcuWaits{400}));
  EXPECT_THAT(table.die, ElementsAre(1));
  EXPECT_THAT(table.start_ns, ElementsAre(RawDevice::at(1000090)));
  EXPECT_THAT(table.end_ns, ElementsAre(RawDevice::at(1000200)));
  EXPECT_THAT(trace.ccu_channels().channel, ElementsAre(120));
  EXPECT_THAT(trace.ccu_channels().max_delay, ElementsAre(4));
}

}  // namespace
}  // namespace npuprof::load
