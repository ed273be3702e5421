#include "sim/prof/device_reporter.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "format/device/pmu_events.h"
#include "format/device/pmu_metrics.h"
#include "format/device/stars_soc.h"
#include "sim/prof/device_data.h"
#include "temporary_directory.h"

namespace npuprof::sim {
namespace {

using format::device::BlockPmu;
using format::device::ChipId;
using format::device::ContextPmu;
using format::device::CoreKind;
using format::device::CorePmuV6;
using format::device::FftsPlusLog;
using format::device::kNoContext;
using format::device::SqeKind;
using format::device::StarsFunction;
using format::device::StepTag;
using format::device::StepTrace;
using format::device::StepTraceV6;
using format::device::SubTaskType;
using format::device::TaskFlip;
using format::device::TaskLog;
using format::device::TaskLogV6;
using format::device::TrackRecord;
using format::device::TrackType;
using testing::read_device_data;
using testing::records_of;

constexpr std::uint64_t kFirstTick = 1'000'000;

class DeviceReporterTest : public ::testing::Test {
 protected:
  DeviceReporter make(ChipId chip) {
    auto reporter =
        DeviceReporter::create({.data_directory = directory_.path(), .device = 3, .chip = chip});
    EXPECT_TRUE(reporter.ok());
    return std::move(reporter).value();
  }
  std::map<std::string, std::string> files() const { return read_device_data(directory_.path()); }

  npuprof::testing::TemporaryDirectory directory_;
};

TEST_F(DeviceReporterTest, WritesATaskPairByteForByte) {
  DeviceReporter reporter = make(ChipId::k910B);
  reporter.task({3, 7}, SqeKind::kAiCore, 1001000, 1001500);
  ASSERT_TRUE(reporter.close().ok());
  std::string expected(128, '\0');
  expected.replace(0, 16,
                   std::string("\x00\x00\xd3\x6b\x03\x00\x07\x00\x28\x46\x0f\x00\0\0\0\0", 16));
  expected.replace(64, 16,
                   std::string("\x41\x00\xd3\x6b\x03\x00\x07\x00\x1c\x48\x0f\x00\0\0\0\0", 16));
  EXPECT_EQ(read_file(directory_ / "stars_soc.data.3.slice_0").value(), expected);
  EXPECT_EQ(read_file(directory_ / "stars_soc.data.3.slice_0.done").value(),
            "filesize:128\nstarttime:0\nendtime  :0\n");
  EXPECT_EQ(files().size(), 1u) << "files without records were made";
}

// What a reader of a 910B needs for kernels, counters and steps: tasks in order of time with a
// running number, a context inside each mixed task, counters that end inside their kernel, slave
// blocks for each mixed kernel, a flip when task ids wrap, marks of steps.
TEST_F(DeviceReporterTest, WritesWhatReadersOfA910BNeed) {
  constexpr int kKernels = 400;
  constexpr std::uint32_t kSlaveBlocks = 6;
  const std::uint64_t counters[] = {100, 200, 300, 400, 500, 600, 1000, 10};
  DeviceReporter reporter = make(ChipId::k910B);
  std::uint64_t clocks[2] = {kFirstTick, kFirstTick + 37};
  int mixed = 0;
  for (int i = 0; i < kKernels; ++i) {
    const auto stream = static_cast<std::uint16_t>(i % 2);
    std::uint64_t& clock = clocks[stream];
    const std::uint64_t start = clock;
    const std::uint64_t end = start + 100 + static_cast<std::uint64_t>(i % 13) * 20;
    clock = end + 5;
    const LoggedTask task{stream, static_cast<std::uint32_t>(i / 2)};
    const bool is_mixed_kernel = i % 10 == 9;
    KernelPmu kernel{.task = task,
                     .kind = i % 3 == 0 ? CoreKind::kAiv : CoreKind::kAic,
                     .start = start + 10,
                     .end = end - 10,
                     .main = {43200, counters}};
    reporter.task(task, SqeKind::kAiCore, start, end);
    if (is_mixed_kernel) {
      ++mixed;
      kernel.kind = CoreKind::kMixAic;
      kernel.context = 0;
      reporter.ffts_context(task, 0, SubTaskType::kMixAic, start + 5, end - 5);
      reporter.slave_pmu(kernel, {1000, counters}, kSlaveBlocks, 4, start + 12, end - 11);
    }
    reporter.context_pmu(kernel);
    reporter.flush_until(std::min(clocks[0], clocks[1]));
  }
  reporter.flip(1, 1, 0, clocks[1] + 1);
  reporter.step_trace(1, 5, {0, 2}, StepTag::kStepStart, kFirstTick);
  reporter.step_trace(1, 5, {0, 3}, StepTag::kStepEnd, clocks[0]);
  ASSERT_TRUE(reporter.close().ok());
  EXPECT_EQ(reporter.late_count(), 0u);
  const auto data = files();

  unsigned sequence = 0;
  std::uint64_t last = 0;
  std::map<std::pair<int, int>, std::pair<std::uint64_t, std::uint64_t>> tasks;
  std::map<std::pair<int, int>, int> contexts;
  for (const auto& log : records_of<FftsPlusLog>(data.at("stars_soc.data"))) {
    EXPECT_TRUE(log.head.has_magic());
    EXPECT_EQ(log.head.sequence(), sequence++ % 16);
    EXPECT_GE(log.syscnt, last);
    last = log.syscnt;
    const std::pair<int, int> id{log.raw_stream, log.raw_task};
    switch (log.head.function()) {
      case StarsFunction::kTaskStart:
        tasks[id].first = log.syscnt;
        break;
      case StarsFunction::kTaskEnd:
        EXPECT_GT(tasks.at(id).first, 0u);
        tasks[id].second = log.syscnt;
        EXPECT_TRUE(!contexts.contains(id) || contexts[id] == 2);
        break;
      default:
        EXPECT_EQ(log.ffts_type(), 4);
        EXPECT_EQ(log.sub_task_type(), 6);
        EXPECT_EQ(log.context_id, 0);
        EXPECT_GT(log.syscnt, tasks.at(id).first);
        ++contexts[id];
    }
  }
  EXPECT_EQ(tasks.size(), static_cast<std::size_t>(kKernels));
  EXPECT_EQ(contexts.size(), static_cast<std::size_t>(mixed));

  sequence = 0;
  last = 0;
  std::map<std::pair<int, int>, std::uint32_t> slave_blocks;
  std::size_t context_pmus = 0;
  for (const auto& pmu : records_of<ContextPmu>(data.at("ffts_profile.data"))) {
    EXPECT_EQ(pmu.head.sequence(), sequence++ % 16);
    EXPECT_GE(pmu.end_syscnt, last);
    last = pmu.end_syscnt;
    const std::pair<int, int> id{pmu.raw_stream, pmu.raw_task};
    EXPECT_GT(pmu.start_syscnt, tasks.at(id).first);
    EXPECT_LT(pmu.end_syscnt, tasks.at(id).second);
    if (pmu.head.function() == StarsFunction::kContextPmu) {
      ++context_pmus;
      const auto kind = format::device::core_kind(pmu.ffts_type(), pmu.sub_task_type());
      EXPECT_EQ(kind == CoreKind::kMixAic, contexts.contains(id));
      EXPECT_EQ(pmu.counters[7], 10u);
    } else {
      const auto block = format::load<BlockPmu>(format::bytes_of(pmu).data());
      EXPECT_TRUE(block.is_vector_core());
      EXPECT_EQ(block.core_id(), slave_blocks[id]++ % 4);
    }
  }
  EXPECT_EQ(context_pmus, static_cast<std::size_t>(kKernels));
  EXPECT_EQ(slave_blocks.size(), static_cast<std::size_t>(mixed));
  for (const auto& [id, count] : slave_blocks) EXPECT_EQ(count, kSlaveBlocks);

  const auto tracks = records_of<TrackRecord>(data.at("ts_track.data"));
  ASSERT_EQ(tracks.size(), 3u);
  EXPECT_EQ(tracks[0].as<StepTrace>().tag, StepTag::kStepStart);
  EXPECT_EQ(tracks[1].as<StepTrace>().tag, StepTag::kStepEnd);
  EXPECT_EQ(tracks[2].as<TaskFlip>().flip_number, 1);
}

TEST_F(DeviceReporterTest, CountersOfTheExampleGiveTheExpectedRatios) {
  const std::uint64_t counters[] = {100, 200, 300, 400, 500, 600, 1000, 10};
  DeviceReporter reporter = make(ChipId::k910B);
  reporter.context_pmu({.task = {3, 8},
                        .kind = CoreKind::kMixAic,
                        .context = 0,
                        .start = 10,
                        .end = 20,
                        .main = {43200, counters}});
  ASSERT_TRUE(reporter.close().ok());
  const auto record = records_of<ContextPmu>(files().at("ffts_profile.data")).at(0);
  using format::device::PmuGroup;
  const format::device::PmuEvaluator evaluator(
      PmuGroup::kPipeUtilizationExact, ChipId::k910B,
      format::device::pmu_events(PmuGroup::kPipeUtilizationExact, ChipId::k910B));
  std::vector<double> values(evaluator.columns().size());
  evaluator.evaluate(record.counters, record.total_cycles, 1650, values);
  EXPECT_NEAR(values.at(0), 0.006944, 1e-6);
  EXPECT_NEAR(values.at(4), 0.013889, 1e-6);
}

TEST_F(DeviceReporterTest, WritesTheLayoutsOfNewerChips) {
  const std::uint64_t counters[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  DeviceReporter reporter = make(ChipId::k910_95);
  const LoggedTask task{5, 0x12345678};
  reporter.task(task, SqeKind::kAiVector, 100, 200);
  reporter.task({5, 2}, SqeKind::kAiCpu, 210, 220);
  reporter.ffts_context(task, 0, SubTaskType::kMixAic, 110, 190);
  const KernelPmu kernel{
      .task = task, .kind = CoreKind::kMixAiv, .start = 110, .end = 190, .main = {1000, counters}};
  reporter.context_pmu(kernel);
  reporter.slave_pmu(kernel, {50, counters}, 8, 4, 112, 180);
  reporter.block_pmu(kernel, {.vector_core = true, .core_id = 9, .block = 2}, {7, counters}, 111,
                     150);
  reporter.flip(5, 1, 0, 300);
  reporter.step_trace(9, 1, task, StepTag::kStepStart, 90);
  ASSERT_TRUE(reporter.close().ok());
  const auto data = files();

  const auto logs = records_of<TaskLogV6>(data.at("stars_soc.data"));
  ASSERT_EQ(logs.size(), 4u) << "contexts do not exist here";
  EXPECT_EQ(logs[0].task_id, 0x12345678u);
  EXPECT_EQ(logs[0].head.sqe_type(), 1);
  EXPECT_EQ(logs[1].syscnt, 200u);
  EXPECT_EQ(logs[2].head.sqe_type(), 5);

  const auto pmus = records_of<CorePmuV6>(data.at("ffts_profile.data"));
  ASSERT_EQ(pmus.size(), 3u);
  EXPECT_EQ(pmus[0].head.function(), StarsFunction::kBlockPmu);
  EXPECT_EQ(pmus[0].core_id, 9);
  EXPECT_TRUE(pmus[0].is_main_core());
  EXPECT_EQ(pmus[1].head.function(), StarsFunction::kContextPmuV6);
  EXPECT_FALSE(pmus[1].is_main_core());
  EXPECT_FALSE(pmus[1].is_vector_core());
  EXPECT_EQ(pmus[1].total_cycles, 400u);
  EXPECT_EQ(pmus[1].counters[9], 80u);
  EXPECT_TRUE(pmus[2].is_main_core());
  EXPECT_TRUE(pmus[2].is_mixed());
  EXPECT_TRUE(pmus[2].is_vector_core());
  EXPECT_EQ(pmus[2].counters[9], 10u);

  const auto tracks = records_of<TrackRecord>(data.at("ts_track.data"));
  ASSERT_EQ(tracks.size(), 1u) << "task ids do not wrap here";
  EXPECT_EQ(tracks[0].as<StepTraceV6>().task_id, 0x12345678u);
  EXPECT_EQ(tracks[0].as<StepTraceV6>().tag, StepTag::kStepStart);
}

TEST_F(DeviceReporterTest, MapsKindsTheChipDoesNotHave) {
  DeviceReporter reporter = make(ChipId::k910B);
  reporter.task_start({1, 1}, SqeKind::kAiVector, 1);
  reporter.task_start({1, 2}, SqeKind::kEventWait, 2);
  reporter.task_start({1, 3}, SqeKind::kCcu, 3);
  ASSERT_TRUE(reporter.close().ok());
  const auto logs = records_of<TaskLog>(files().at("stars_soc.data"));
  EXPECT_EQ(logs.at(0).head.sqe_type(), 0) << "a 910B calls all kernels AI core";
  EXPECT_EQ(logs.at(1).head.sqe_type(), 5);
  EXPECT_EQ(logs.at(2).head.sqe_type(), 3) << "place holder";
}

TEST_F(DeviceReporterTest, CutsSlicesBetweenRecords) {
  constexpr std::uint32_t kTasks = 40000;
  DeviceReporter reporter = make(ChipId::k910B);
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    reporter.task({1, i}, SqeKind::kAiCore, 100 * i, 100 * i + 50);
    reporter.flush_until(100 * i);
  }
  ASSERT_TRUE(reporter.close().ok());
  EXPECT_EQ(std::filesystem::file_size(directory_ / "stars_soc.data.3.slice_0"), 2097152u);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "stars_soc.data.3.slice_2"));
  EXPECT_EQ(records_of<TaskLog>(files().at("stars_soc.data")).size(), 2 * kTasks);
}

TEST_F(DeviceReporterTest, WhatWasFlushedSurvives) {
  DeviceReporter reporter = make(ChipId::k910B);
  reporter.task({1, 1}, SqeKind::kAiCore, 100, 200);
  reporter.task({1, 2}, SqeKind::kAiCore, 300, 400);
  reporter.samples().ai_core_mhz(50, 1800);
  reporter.flush(301);
  EXPECT_EQ(std::filesystem::file_size(directory_ / "stars_soc.data.3.slice_0"), 3u * 64);
  EXPECT_EQ(std::filesystem::file_size(directory_ / "lpmFreqConv.data.3.slice_0"), 888u);
  ASSERT_TRUE(reporter.close().ok());
}

TEST_F(DeviceReporterTest, SaysWhatDoesNotFit) {
  {
    DeviceReporter reporter = make(ChipId::k910B);
    reporter.task({2048, 1}, SqeKind::kAiCore, 1, 2);
    EXPECT_EQ(reporter.close().error().code, ErrorCode::kInvalidArgument);
  }
  {
    DeviceReporter reporter = make(ChipId::k910B);
    reporter.task({1, 65536}, SqeKind::kAiCore, 1, 2);
    EXPECT_FALSE(reporter.close().ok());
  }
  EXPECT_EQ(DeviceReporter::create({.data_directory = directory_.path(), .chip = ChipId::k310P})
                .error()
                .code,
            ErrorCode::kUnsupported);
}

TEST_F(DeviceReporterTest, ReportsADirectoryThatIsNotThere) {
  auto reporter =
      DeviceReporter::create({.data_directory = directory_ / "missing", .chip = ChipId::k910B});
  reporter->task({1, 1}, SqeKind::kAiCore, 1, 2);
  EXPECT_EQ(reporter->close().error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace npuprof::sim
