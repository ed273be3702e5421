#include "load/cann_device/task_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/hwts.h"
#include "format/device/stars_soc.h"
#include "format/device/stars_soc_profile.h"
#include "format/device/ts_track.h"
#include "format/host/compact_stream.h"
#include "format/round_trip.h"
#include "raw_device.h"
#include "trace/device/block_intervals.h"
#include "trace/device/device_tasks.h"
#include "trace/device/fusion_parts.h"
#include "trace/device/link_samples.h"
#include "trace/device/unknown_stream.h"

namespace npuprof::load {
namespace {

using namespace format::device;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RawDevice;

// Text of a record whose first bytes are given; the rest is zero.
std::string record(std::string_view hex, std::size_t size) {
  const std::vector<std::byte> bytes = format::testing::hex(hex);
  std::string text(as_text(bytes));
  text.resize(size);
  return text;
}

TaskLog log(StarsFunction function, std::uint16_t stream, std::uint16_t task, std::uint64_t syscnt,
            unsigned sqe_type = 0) {
  TaskLog log{};
  log.head = StarsHead::make(function, 0, sqe_type);
  log.raw_stream = stream;
  log.raw_task = task;
  log.syscnt = syscnt;
  return log;
}

TEST(TaskFilesTest, ReadsTheBytesOfAnAiCoreTask) {
  RawDevice device;
  device.write_text("stars_soc.data", record("0000d36b 03000700 28460f00 00000000", 64) +
                                          record("4100d36b 03000700 1c480f00 00000000", 64));
  const trace::Trace trace = device.load();
  const trace::DeviceTasks& tasks = trace.device_tasks();
  ASSERT_EQ(tasks.size(), 1u) << testing::describe(device.losses);
  EXPECT_EQ(tasks.start_ns[0], RawDevice::kStartNs + 20000);
  EXPECT_EQ(tasks.end_ns[0], RawDevice::kStartNs + 30000);
  EXPECT_EQ(tasks.device[0], 3);
  EXPECT_EQ(tasks.stream[0], 3);
  EXPECT_EQ(tasks.task[0], 7u);
  EXPECT_EQ(tasks.batch[0], 0);
  EXPECT_EQ(tasks.context[0], trace::kNone);
  EXPECT_EQ(tasks.type[0], 0);
  EXPECT_TRUE(device.losses.empty());
}

TEST(TaskFilesTest, ReadsContextsAndWordsThatChangedPlaces) {
  RawDevice device;
  TaskLog context_end = log(StarsFunction::kFftsPlusEnd, 3, 8, 1002100);
  TaskLog swapped_end = log(StarsFunction::kTaskEnd, 0x2005, 4, 1020000, 11);
  device.write_text("stars_soc.data",
                    record("e200d36b 03000800 1a4a0f00 00000000 06000000 00800000", 64) +
                        std::string(as_text(format::bytes_of(context_end))) +
                        record("802ed36b 05200400 386d0f00 00000000", 64) +
                        std::string(as_text(format::bytes_of(swapped_end))));
  const trace::Trace trace = device.load();
  const trace::DeviceTasks& tasks = trace.device_tasks();
  ASSERT_EQ(tasks.size(), 2u) << testing::describe(device.losses);
  EXPECT_EQ(tasks.context[0], 0u);
  EXPECT_EQ(tasks.type[0], 6);
  EXPECT_EQ(tasks.start_ns[0], RawDevice::at(1002010));
  EXPECT_EQ(tasks.stream[1], 4);
  EXPECT_EQ(tasks.task[1], 5u);
  EXPECT_EQ(tasks.type[1], 11);
}

TEST(TaskFilesTest, SortsRecordsThatAreOutOfOrder) {
  RawDevice device;
  device.write_records<TaskLog>(
      "stars_soc.data",
      {log(StarsFunction::kTaskEnd, 1, 1, 1000200), log(StarsFunction::kTaskStart, 1, 2, 1000300),
       log(StarsFunction::kTaskStart, 1, 1, 1000100), log(StarsFunction::kTaskEnd, 1, 2, 1000400)});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.device_tasks().task, ElementsAre(1, 2));
  EXPECT_THAT(trace.device_tasks().start_ns,
              ElementsAre(RawDevice::at(1000100), RawDevice::at(1000300)));
}

TEST(TaskFilesTest, SkipsRecordsWithoutTheirMagicNumberAndNamesLostPartners) {
  RawDevice device;
  TaskLog damaged = log(StarsFunction::kTaskEnd, 1, 1, 1000200);
  damaged.head.magic = 0;
  device.write_records<TaskLog>(
      "stars_soc.data",
      {log(StarsFunction::kTaskStart, 1, 1, 1000100), damaged,
       log(StarsFunction::kTaskStart, 1, 2, 1000300), log(StarsFunction::kTaskEnd, 1, 2, 1000400)});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.device_tasks().task, ElementsAre(2));
  ASSERT_EQ(device.losses.items().size(), 2u) << testing::describe(device.losses);
  EXPECT_EQ(device.losses.items()[0].offset, 64u);
  EXPECT_EQ(device.losses.items()[0].records, 1u);
  EXPECT_THAT(device.losses.items()[1].what, HasSubstr("1 task(s) have no start or no end"));
}

TEST(TaskFilesTest, FlipsGiveBatches) {
  RawDevice device;
  device.write_records<TaskLog>(
      "stars_soc.data",
      {log(StarsFunction::kTaskStart, 3, 1, 1004000), log(StarsFunction::kTaskEnd, 3, 1, 1004100),
       log(StarsFunction::kTaskStart, 3, 1, 1006000), log(StarsFunction::kTaskEnd, 3, 1, 1006100)});
  // Flip of stream 3 at 1005000.
  device.write_text("ts_track.data", record("010e2800 00000000 c8550f00 00000000 03000100", 40));
  EXPECT_THAT(device.load().device_tasks().batch, ElementsAre(0, 1));
  device.info.driver_version = 1;  // Too old to write flips: whatever is there is no flip.
  EXPECT_THAT(device.load().device_tasks().batch, ElementsAre(0, 0));
}

TEST(TaskFilesTest, ExpandedStreamsIfTheHostSaysSo) {
  RawDevice device;
  device.write_records<TaskLog>("stars_soc.data",
                                {log(StarsFunction::kTaskStart, 0x1005, 9, 1000100),
                                 log(StarsFunction::kTaskEnd, 0x1005, 9, 1000200)});
  format::host::ExpandStreamSpec spec{};
  spec.header = {.level = format::host::kLevelRuntime, .type = 804, .payload_length = 4};
  spec.expand_status = 1;
  device.write_host_file("unaging.compact.expand_stream_spec.slice_0",
                         as_text(format::bytes_of(spec)));
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.device_tasks().stream, ElementsAre(0x1005));
  EXPECT_THAT(trace.device_tasks().task, ElementsAre(9));
}

TEST(TaskFilesTest, SamplesBetweenTheTasks) {
  RawDevice device;
  AccPmuSample sample{};
  sample.head = StarsHead::make(StarsFunction::kAccPmu, 0, 0);
  sample.syscnt = 1000150;
  sample.accelerator_id = 7;
  sample.bandwidth = {11, 12};
  sample.outstanding = {13, 14};
  device.write_text("stars_soc.data", std::string(as_text(format::bytes_of(sample))) +
                                          record("0000d36b 03000700 28460f00 00000000", 64) +
                                          record("4100d36b 03000700 1c480f00 00000000", 64));
  const trace::Trace trace = device.load();
  EXPECT_EQ(trace.device_tasks().size(), 1u);
  ASSERT_EQ(trace.link_samples().size(), 1u);
  EXPECT_EQ(trace.link_samples().unit[0], 7u);
  EXPECT_THAT(std::vector<double>(trace.link_samples().values[0].begin(),
                                  trace.link_samples().values[0].begin() + 4),
              ElementsAre(12, 11, 14, 13));
}

TEST(TaskFilesTest, TasksBlocksAndFusedPartsOfChip15) {
  RawDevice device(15);
  const auto head = [](StarsFunction function) { return StarsHead::make(function, 0, 1); };
  const auto task = [&](StarsFunction function, std::uint64_t syscnt) {
    TaskLogV6 log{};
    log.head = head(function);
    log.task_id = 0x12345;
    log.syscnt = syscnt;
    return std::string(as_text(format::bytes_of(log)));
  };
  const auto block = [&](StarsFunction function, std::uint64_t syscnt) {
    BlockLogV6 log{};
    log.head = head(function);
    log.task_id = 0x12345;
    log.syscnt = syscnt;
    log.core_type = 1;
    log.core_id = 4;
    log.block_id = 9;
    return std::string(as_text(format::bytes_of(log)));
  };
  const auto part = [&](StarsFunction function, std::uint64_t syscnt) {
    FusionLogV6 log{};
    log.head = head(function);
    log.task_id = 0x12345;
    log.syscnt = syscnt;
    log.part = FusionLogV6::pack_part(FusionPart::kCcuDie0, 6);
    log.accelerator = 2;
    return std::string(as_text(format::bytes_of(log)));
  };
  device.write_text(
      "stars_soc.data",
      task(StarsFunction::kTaskStart, 1000100) + block(StarsFunction::kBlockStart, 1000110) +
          part(StarsFunction::kFusionStart, 1000120) + block(StarsFunction::kBlockEnd, 1000130) +
          part(StarsFunction::kFusionEnd, 1000140) + task(StarsFunction::kTaskEnd, 1000200));
  const trace::Trace trace = device.load();
  ASSERT_EQ(trace.device_tasks().size(), 1u) << testing::describe(device.losses);
  EXPECT_EQ(trace.device_tasks().task[0], 0x12345u);
  EXPECT_EQ(trace.device_tasks().stream[0], trace::kUnknownStream);
  EXPECT_EQ(trace.device_tasks().end_ns[0], RawDevice::at(1000200));
  const trace::BlockIntervals& blocks = trace.block_intervals();
  EXPECT_THAT(blocks.core, ElementsAre(1));
  EXPECT_THAT(blocks.core_id, ElementsAre(4));
  EXPECT_THAT(blocks.block, ElementsAre(9));
  EXPECT_THAT(blocks.start_ns, ElementsAre(RawDevice::at(1000110)));
  EXPECT_THAT(blocks.end_ns, ElementsAre(RawDevice::at(1000130)));
  const trace::FusionParts& parts = trace.fusion_parts();
  EXPECT_THAT(parts.part, ElementsAre(3));
  EXPECT_THAT(parts.mission, ElementsAre(6));
  EXPECT_THAT(parts.accelerator, ElementsAre(2));
  EXPECT_THAT(parts.start_ns, ElementsAre(RawDevice::at(1000120)));
  EXPECT_THAT(parts.end_ns, ElementsAre(RawDevice::at(1000140)));
}

HwtsLog hwts(HwtsLog::Type type, std::uint8_t task_type, std::uint32_t stream, std::uint16_t task,
             std::uint64_t syscnt) {
  HwtsLog log{};
  log.bits = HwtsLog::pack_bits(type, 0);
  log.unit = task_type;
  log.stream = stream;
  log.task_id = task;
  log.syscnt = syscnt;
  return log;
}

TaskStateTrack state(std::uint16_t ts_type, std::uint16_t stream, std::uint16_t task,
                     TrackState state, std::uint64_t syscnt) {
  TaskStateTrack track{};
  track.head = TrackHead::make(TrackType::kTaskState, syscnt);
  track.stream_id = stream;
  track.task_id = task;
  track.task_type = ts_type;
  track.state = static_cast<std::uint8_t>(state);
  return track;
}

TEST(TaskFilesTest, HwtsWithAiCpuTasksFromTheSchedulerOfChip1) {
  RawDevice device(1);
  using Type = HwtsLog::Type;
  device.write_records<HwtsLog>("hwts.data", {hwts(Type::kTaskStart, 0, 0x1802, 4, 1000100),
                                              hwts(Type::kBlock, 0, 2, 4, 1000120),
                                              hwts(Type::kTaskEnd, 0, 0x1802, 4, 1000200)});
  device.write_records<TaskStateTrack>(
      "ts_track.data",
      {state(1, 2, 5, TrackState::kReceived, 1000200), state(1, 2, 5, TrackState::kStart, 1000210),
       state(1, 2, 5, TrackState::kEnd, 1000250), state(14, 2, 6, TrackState::kStart, 1000260)});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.device_tasks().stream, ElementsAre(2, 2));
  EXPECT_THAT(trace.device_tasks().task, ElementsAre(4, 5));
  EXPECT_THAT(trace.device_tasks().type, ElementsAre(0, 1));
  EXPECT_THAT(trace.device_tasks().end_ns,
              ElementsAre(RawDevice::at(1000200), RawDevice::at(1000250)));
}

TEST(TaskFilesTest, HwtsOfVectorCoresAndSchedulingTasksOfChip4) {
  RawDevice device(4);
  using Type = HwtsLog::Type;
  device.write_records<HwtsLog>("hwts.data", {hwts(Type::kTaskStart, 0, 2, 4, 1000100),
                                              hwts(Type::kTaskEnd, 0, 2, 4, 1000200)});
  device.write_records<HwtsLog>("hwts.aiv_data", {hwts(Type::kTaskStart, 0, 3, 1, 1000050),
                                                  hwts(Type::kTaskEnd, 0, 3, 1, 1000060)});
  device.write_records<TaskStateTrack>(
      "ts_track.data",
      {state(13, 2, 4, TrackState::kStart, 1000110), state(13, 2, 4, TrackState::kEnd, 1000120),
       state(13, 2, 9, TrackState::kStart, 1000300), state(13, 2, 9, TrackState::kEnd, 1000310)});
  const trace::Trace trace = device.load();
  // Task 4 of stream 2 is in the hardware log already.
  EXPECT_THAT(trace.device_tasks().task, ElementsAre(1, 4, 9));
  EXPECT_THAT(trace.device_tasks().type, ElementsAre(2, 0, 3));
}

TEST(TaskFilesTest, OtherChipsAreLeftOutWithAWord) {
  RawDevice device(9);
  EXPECT_EQ(device.load().devices.size(), 1u);
  ASSERT_FALSE(device.losses.empty());
  EXPECT_THAT(device.losses.items()[0].what, HasSubstr("nano"));
}

}  // namespace
}  // namespace npuprof::load
