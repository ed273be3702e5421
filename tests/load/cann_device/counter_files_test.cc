#include "load/cann_device/counter_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/aicore.h"
#include "format/device/ffts_profile.h"
#include "format/device/frequency.h"
#include "format/device/hwts.h"
#include "format/device/stars_soc.h"
#include "format/device/ts_track.h"
#include "raw_device.h"
#include "trace/device/core_samples.h"
#include "trace/device/pmu_counters.h"
#include "trace/device/pmu_records.h"

namespace npuprof::load {
namespace {

using namespace format::device;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RawDevice;
using trace::PmuCore;

std::string context_log(std::uint16_t task, unsigned sub_task_type, std::uint64_t start,
                        std::uint64_t end) {
  FftsPlusLog log{};
  log.raw_stream = 3;
  log.raw_task = task;
  log.sub_task = static_cast<std::uint16_t>(sub_task_type);
  log.ffts = FftsPlusLog::pack_ffts(4);
  log.head = StarsHead::make(StarsFunction::kFftsPlusStart, 0, 0);
  log.syscnt = start;
  std::string text = testing::bytes(log);
  log.head = StarsHead::make(StarsFunction::kFftsPlusEnd, 0, 0);
  log.syscnt = end;
  return text + testing::bytes(log);
}

ContextPmu context_pmu(std::uint16_t task, unsigned ffts_type, unsigned sub_task_type,
                       std::uint64_t end) {
  ContextPmu pmu{};
  pmu.head = StarsHead::make(StarsFunction::kContextPmu, 0, 0);
  pmu.raw_stream = 3;
  pmu.raw_task = task;
  pmu.sub_task = ContextPmu::pack_sub_task(sub_task_type, false);
  pmu.ffts = ContextPmu::pack_ffts(ffts_type);
  pmu.total_cycles = 43200;
  pmu.counters = {100, 200, 300, 400, 500, 600, 1000, 10};
  pmu.start_syscnt = end - 40;
  pmu.end_syscnt = end;
  return pmu;
}

BlockPmu block_pmu(std::uint16_t task, bool on_vector, std::uint64_t end) {
  BlockPmu pmu{};
  pmu.head = StarsHead::make(StarsFunction::kBlockPmu, 0, 0);
  pmu.raw_stream = 3;
  pmu.raw_task = task;
  pmu.core = BlockPmu::pack_core(on_vector, 2);
  pmu.ffts = BlockPmu::pack_ffts(4);
  pmu.total_cycles = 1000;
  pmu.counters = {1, 2, 3, 4, 5, 6, 7, 8};
  pmu.start_syscnt = end - 30;
  pmu.end_syscnt = end;
  return pmu;
}

TEST(CounterFilesTest, CoreKindsAndContexts) {
  RawDevice device;
  device.write_records<ContextPmu>("ffts_profile.data",
                                   {context_pmu(1, 0, 9, 1000100), context_pmu(2, 1, 0, 1000200),
                                    context_pmu(3, 4, 6, 1000300), context_pmu(4, 4, 7, 1000400),
                                    context_pmu(5, 4, 0, 1000500), context_pmu(6, 4, 3, 1000600)});
  const trace::Trace trace = device.load();
  const trace::PmuRecords& pmu = trace.pmu_records();
  EXPECT_THAT(pmu.core,
              ElementsAre(static_cast<int>(PmuCore::kAic), static_cast<int>(PmuCore::kAiv),
                          static_cast<int>(PmuCore::kMixAic), static_cast<int>(PmuCore::kMixAiv),
                          static_cast<int>(PmuCore::kAic)));
  EXPECT_THAT(pmu.context, ElementsAre(trace::kNone, trace::kNone, 0, 0, 0));
  EXPECT_THAT(pmu.task, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(pmu.cycles[0], 43200u);
  EXPECT_THAT(pmu.counters[0], ElementsAre(100, 200, 300, 400, 500, 600, 1000, 10, 0, 0));
  EXPECT_EQ(pmu.end_ns[0], RawDevice::at(1000100));
  EXPECT_EQ(pmu.start_ns[0], RawDevice::at(1000060));
  EXPECT_EQ(pmu.mhz[0], 1650);
  EXPECT_TRUE(device.losses.empty()) << testing::describe(device.losses);
}

TEST(CounterFilesTest, FrequencyInForceAtTheEnd) {
  RawDevice device;
  FrequencyRecord change{};
  change.count = 1;
  change.changes[0].syscnt = 1000150;
  change.changes[0].value = 1500;
  device.write_records<FrequencyRecord>("lpmInfoConv.data", {change});
  device.write_records<ContextPmu>("ffts_profile.data",
                                   {context_pmu(1, 0, 0, 1000149), context_pmu(2, 0, 0, 1000150)});
  EXPECT_THAT(device.load().pmu_records().mhz, ElementsAre(1650, 1500));
}

TEST(CounterFilesTest, SumsTheSlaveBlocksOfEachExecution) {
  RawDevice device;
  device.write_text("stars_soc.data", context_log(8, 6, 1000100, 1000200) +
                                          context_log(8, 6, 1000300, 1000400) +
                                          context_log(9, 7, 1000500, 1000600));
  device.write_text("ffts_profile.data",
                    testing::bytes(block_pmu(8, true, 1000180)) +
                        testing::bytes(block_pmu(8, true, 1000190)) +
                        testing::bytes(block_pmu(8, false, 1000190)) +  // A main-core block.
                        testing::bytes(context_pmu(8, 4, 6, 1000195)) +
                        testing::bytes(block_pmu(8, true, 1000380)) +
                        testing::bytes(context_pmu(8, 4, 6, 1000390)) +
                        testing::bytes(block_pmu(9, false, 1000590)) +
                        testing::bytes(block_pmu(9, true, 1000450)));  // Between two executions.
  const trace::Trace trace = device.load();
  const trace::PmuRecords& pmu = trace.pmu_records();
  EXPECT_THAT(pmu.is_slave, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(pmu.task, ElementsAre(8, 8, 8, 8, 9));
  EXPECT_THAT(pmu.block_count, ElementsAre(0, 0, 2, 1, 1));
  EXPECT_THAT(pmu.cycles, ElementsAre(43200, 43200, 2000, 1000, 1000));
  EXPECT_THAT(pmu.counters[2], ElementsAre(2, 4, 6, 8, 10, 12, 14, 16, 0, 0));
  EXPECT_EQ(pmu.core[2], static_cast<int>(PmuCore::kAiv));
  EXPECT_EQ(pmu.core[4], static_cast<int>(PmuCore::kAic));
  EXPECT_EQ(pmu.end_ns[3], RawDevice::at(1000400));
  ASSERT_EQ(device.losses.items().size(), 1u) << testing::describe(device.losses);
  EXPECT_EQ(device.losses.items()[0].records, 1u);
}

TEST(CounterFilesTest, BatchesFollowTheEnd) {
  RawDevice device;
  format::device::TaskFlip flip{};
  flip.head = TrackHead::make(TrackType::kFlip, 1000150);
  flip.stream_id = 3;
  flip.flip_number = 1;
  device.write_records<format::device::TaskFlip>("ts_track.data", {flip});
  device.write_records<ContextPmu>("ffts_profile.data",
                                   {context_pmu(1, 0, 0, 1000140), context_pmu(1, 0, 0, 1000160)});
  EXPECT_THAT(device.load().pmu_records().batch, ElementsAre(0, 1));
}

TEST(CounterFilesTest, OverflowsAndForeignRecordsAreTold) {
  RawDevice device;
  ContextPmu overflow = context_pmu(1, 0, 0, 1000140);
  overflow.sub_task = ContextPmu::pack_sub_task(0, true);
  ContextPmu foreign = context_pmu(2, 0, 0, 1000150);
  foreign.head = StarsHead::make(StarsFunction::kTaskStart, 0, 0);
  device.write_records<ContextPmu>("ffts_profile.data", {overflow, foreign});
  EXPECT_EQ(device.load().pmu_records().size(), 1u);
  ASSERT_EQ(device.losses.items().size(), 2u);
  EXPECT_EQ(device.losses.items()[0].offset, 128u);
  EXPECT_THAT(device.losses.items()[1].what, HasSubstr("overflowed in 1 record"));
}

TEST(CounterFilesTest, MixKernelOfChip15HasTwoRecords) {
  RawDevice device(15);
  const auto pmu = [](StarsFunction function, bool main, bool mixed, bool vector) {
    CorePmuV6 record{};
    record.head = StarsHead::make(function, 0, 0);
    record.task_id = 0x12345;
    record.flags = CorePmuV6::pack_flags(main, mixed, false);
    record.core_type = vector ? 1 : 0;
    record.total_cycles = 77;
    record.counters[9] = 5;
    record.start_syscnt = 1000100;
    record.end_syscnt = 1000200;
    return record;
  };
  device.write_records<CorePmuV6>("ffts_profile.data",
                                  {pmu(StarsFunction::kBlockPmu, true, true, false),
                                   pmu(StarsFunction::kContextPmuV6, true, true, false),
                                   pmu(StarsFunction::kContextPmuV6, false, true, true),
                                   pmu(StarsFunction::kContextPmuV6, true, false, true)});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.pmu_records().core,
              ElementsAre(static_cast<int>(PmuCore::kMixAic), static_cast<int>(PmuCore::kAiv),
                          static_cast<int>(PmuCore::kAiv)));
  EXPECT_THAT(trace.pmu_records().is_slave, ElementsAre(0, 1, 0));
  EXPECT_EQ(trace.pmu_records().counters[0][9], 5u);
  EXPECT_TRUE(device.losses.empty()) << testing::describe(device.losses);
}

TEST(CounterFilesTest, HwtsCountersAreTakenInTheOrderOfTheKernels) {
  RawDevice device(4);
  const auto log = [](HwtsLog::Type type, std::uint64_t syscnt) {
    HwtsLog record{};
    record.bits = HwtsLog::pack_bits(type, 0);
    record.stream = 2;
    record.task_id = 4;
    record.syscnt = syscnt;
    return record;
  };
  using Type = HwtsLog::Type;
  device.write_records<HwtsLog>("hwts.data",
                                {log(Type::kTaskStart, 1000100), log(Type::kTaskEnd, 1000200),
                                 log(Type::kTaskStart, 1000300), log(Type::kTaskEnd, 1000400)});
  AiCorePmu pmu{};
  pmu.task_id = 4;
  pmu.stream = 2;
  std::vector<AiCorePmu> records(3, pmu);
  records[1].total_cycles = 9;
  device.write_records<AiCorePmu>("aicore.data", records);
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.pmu_records().end_ns,
              ElementsAre(RawDevice::at(1000200), RawDevice::at(1000400)));
  EXPECT_THAT(trace.pmu_records().cycles, ElementsAre(0, 9));
  ASSERT_EQ(device.losses.items().size(), 1u);  // One record too many.
  EXPECT_EQ(device.losses.items()[0].records, 1u);
}

TEST(CounterFilesTest, SampledCounters) {
  RawDevice device;
  device.sample.ai_core_profiling_mode = "sample-based";
  const auto sample = [](std::uint8_t mode, std::uint8_t core) {
    AiCoreSample record{};
    record.mode = mode;
    record.core_id = core;
    record.total_cycles = 123;
    record.counters[7] = 8;
    record.timestamp = 900'000'500;
    return record;
  };
  device.write_records<AiCoreSample>("ffts_profile.data",
                                     {sample(1, 24), sample(1, 25), sample(0, 1), sample(1, 2)});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.core_samples().core_id, ElementsAre(24, 25));
  EXPECT_THAT(trace.core_samples().core,
              ElementsAre(static_cast<int>(PmuCore::kAic), static_cast<int>(PmuCore::kAiv)));
  EXPECT_THAT(trace.core_samples().time_ns,
              ElementsAre(RawDevice::kStartNs + 500, RawDevice::kStartNs + 500));
  EXPECT_EQ(trace.core_samples().counters[0][7], 8u);
  EXPECT_TRUE(trace.devices[0].sample_based);
  EXPECT_EQ(trace.devices[0].aic_metrics, "PipeUtilizationExct");
}

TEST(CounterFilesTest, MetricsWithoutCountersAreOff) {
  RawDevice device;
  EXPECT_EQ(device.load().devices.at(0).aic_metrics, "");
}

}  // namespace
}  // namespace npuprof::load
