#include "load/cann_device/track_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/ts_track.h"
#include "format/round_trip.h"
#include "raw_device.h"
#include "trace/device/async_copies.h"
#include "trace/device/block_numbers.h"
#include "trace/device/step_marks.h"

namespace npuprof::load {
namespace {

using namespace format::device;
using ::testing::ElementsAre;
using testing::RawDevice;

TEST(TrackFileTest, StepMarks) {
  RawDevice device;
  const std::vector<std::byte> mark = format::testing::hex(
      "010a2800 00000000 98440f00 00000000 01000000 00000000 05000000 00000000 03000200 02000000");
  device.write_text("ts_track.data", as_text(mark));
  const trace::Trace trace = device.load();
  const trace::StepMarks& marks = trace.step_marks();
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks.time_ns[0], RawDevice::at(1000600));
  EXPECT_EQ(marks.index[0], 1u);
  EXPECT_EQ(marks.model_id[0], 5u);
  EXPECT_EQ(marks.stream[0], 3);
  EXPECT_EQ(marks.task[0], 2u);
  EXPECT_EQ(marks.tag[0], 2);
}

TEST(TrackFileTest, StepMarksOfChip15) {
  RawDevice device(15);
  StepTraceV6 mark{};
  mark.head = TrackHead::make(TrackType::kStepTrace, 1000600);
  mark.tag = 60000;
  mark.stream_id = 4;
  mark.task_id = 0x54321;
  device.write_records<StepTraceV6>("ts_track.data", {mark});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.step_marks().tag, ElementsAre(60000));
  EXPECT_THAT(trace.step_marks().stream, ElementsAre(4));
  EXPECT_THAT(trace.step_marks().task, ElementsAre(0x54321));
}

TEST(TrackFileTest, ACopyNeedsAllThreeStates) {
  RawDevice device;
  const auto copy = [](std::uint16_t task, TrackState state, std::uint64_t syscnt) {
    MemcpyTrack track{};
    track.head = TrackHead::make(TrackType::kMemcpy, syscnt);
    track.stream_id = 2;
    track.task_id = task;
    track.state = static_cast<std::uint8_t>(state);
    return track;
  };
  device.write_records<MemcpyTrack>(
      "ts_track.data",
      {copy(1, TrackState::kReceived, 1000100), copy(2, TrackState::kStart, 1000110),
       copy(1, TrackState::kStart, 1000120), copy(2, TrackState::kEnd, 1000130),
       copy(1, TrackState::kEnd, 1000140), copy(3, TrackState::kReceived, 1000150),
       copy(3, TrackState::kEnd, 1000160)});
  const trace::Trace trace = device.load();
  const trace::AsyncCopies& copies = trace.async_copies();
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies.task[0], 1u);
  EXPECT_EQ(copies.stream[0], 2);
  EXPECT_EQ(copies.received_ns[0], RawDevice::at(1000100));
  EXPECT_EQ(copies.start_ns[0], RawDevice::at(1000120));
  EXPECT_EQ(copies.end_ns[0], RawDevice::at(1000140));
}

TEST(TrackFileTest, RecordsOfNoKindAreLosses) {
  RawDevice device;
  TrackRecord newer{};  // Of a kind that is not known yet.
  newer.head = TrackHead::make(static_cast<TrackType>(77), 1000100);
  TrackRecord damaged = newer;
  damaged.head.buffer_size = 4711;
  device.write_records<TrackRecord>("ts_track.data", {newer, damaged});
  device.load();
  ASSERT_EQ(device.losses.items().size(), 1u);
  EXPECT_EQ(device.losses.items()[0].records, 1u);
  EXPECT_EQ(device.losses.items()[0].offset, sizeof(TrackRecord));
}

TEST(TrackFileTest, BlockNumbersHaveBatches) {
  RawDevice device;
  const auto blocks = [](std::uint64_t syscnt) {
    BlockNumber record{};
    record.head = TrackHead::make(TrackType::kBlockNumber, syscnt);
    record.stream_id = 3;
    record.task_id = 8;
    record.blocks = BlockNumber::pack_blocks(20, 2);
    return record;
  };
  format::device::TaskFlip flip{};
  flip.head = TrackHead::make(TrackType::kFlip, 1000200);
  flip.stream_id = 3;
  flip.flip_number = 1;
  device.write_text("ts_track.data", testing::bytes(blocks(1000100)) + testing::bytes(flip) +
                                         testing::bytes(blocks(1000300)));
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.block_numbers().batch, ElementsAre(0, 1));
  EXPECT_THAT(trace.block_numbers().block_num, ElementsAre(20, 20));
  EXPECT_THAT(trace.block_numbers().mix_ratio, ElementsAre(2, 2));
}

}  // namespace
}  // namespace npuprof::load
