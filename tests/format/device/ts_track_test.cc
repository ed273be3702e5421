#include "format/device/ts_track.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::hex;
using testing::offset_of;

TEST(TsTrack, RoundTripsRandomValues) {
  expect_round_trip<TrackRecord>();
  expect_round_trip<StepTrace>();
  expect_round_trip<StepTraceV6>();
  expect_round_trip<MemcpyTrack>();
  expect_round_trip<TaskStateTrack>();
  expect_round_trip<TaskFlip>();
  expect_round_trip<BlockNumber>();
}

TEST(TsTrack, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<StepTrace>("index_id"), 16u);
  EXPECT_EQ(offset_of<StepTrace>("stream_id"), 32u);
  EXPECT_EQ(offset_of<StepTrace>("tag"), 36u);
  EXPECT_EQ(offset_of<StepTraceV6>("tag"), 32u);
  EXPECT_EQ(offset_of<StepTraceV6>("task_id"), 36u);
  EXPECT_EQ(offset_of<MemcpyTrack>("state"), 20u);
  EXPECT_EQ(offset_of<TaskStateTrack>("task_type"), 20u);
  EXPECT_EQ(offset_of<TaskStateTrack>("state"), 22u);
  EXPECT_EQ(offset_of<TaskFlip>("flip_number"), 18u);
  EXPECT_EQ(offset_of<TaskFlip>("task_id"), 22u);
  EXPECT_EQ(offset_of<BlockNumber>("blocks"), 20u);
}

TEST(TsTrack, DecodesAFlipWrittenByHand) {
  auto bytes = hex("010e2800 00000000 c8550f00 00000000 03000100 00000000");
  bytes.resize(40);
  const auto record = load<TrackRecord>(bytes.data());
  ASSERT_EQ(record.head.track_type(), TrackType::kFlip);
  const auto flip = record.as<TaskFlip>();
  EXPECT_EQ(flip.head.mode, 1);
  EXPECT_EQ(flip.head.buffer_size, 40);
  EXPECT_EQ(flip.head.syscnt, 1005000u);
  EXPECT_EQ(flip.stream_id, 3);
  EXPECT_EQ(flip.flip_number, 1);
  EXPECT_EQ(flip.task_id, 0);
  const TaskFlip built{
      .head = TrackHead::make(TrackType::kFlip, 1005000), .stream_id = 3, .flip_number = 1};
  const Bytes encoded = bytes_of(built);
  EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), bytes.begin(), bytes.end()));
}

TEST(TsTrack, DecodesAStepTraceWrittenByHand) {
  const auto bytes = hex(
      "010a2800 00000000 98440f00 00000000 01000000 00000000 05000000 00000000 03000200 02000000");
  const auto record = load<TrackRecord>(bytes.data());
  ASSERT_EQ(record.head.track_type(), TrackType::kStepTrace);
  const auto step = record.as<StepTrace>();
  EXPECT_EQ(step.head.syscnt, 1000600u);
  EXPECT_EQ(step.index_id, 1u);
  EXPECT_EQ(step.model_id, 5u);
  EXPECT_EQ(step.stream_id, 3);
  EXPECT_EQ(step.task_id, 2);
  EXPECT_EQ(step.tag, StepTag::kForwardStart);
  const StepTrace built{.head = TrackHead::make(TrackType::kStepTrace, 1000600),
                        .index_id = 1,
                        .model_id = 5,
                        .stream_id = 3,
                        .task_id = 2,
                        .tag = StepTag::kForwardStart};
  const Bytes encoded = bytes_of(built);
  EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), bytes.begin(), bytes.end()));
}

TEST(TsTrack, SortsTagsIntoRanges) {
  EXPECT_FALSE(StepTag::is_reduce(9999));
  EXPECT_TRUE(StepTag::is_reduce(10000));
  EXPECT_TRUE(StepTag::is_reduce(19999));
  EXPECT_FALSE(StepTag::is_reduce(20000));
  EXPECT_TRUE(StepTag::is_get_next(20000));
  EXPECT_TRUE(StepTag::is_get_next(59999));
  EXPECT_FALSE(StepTag::is_get_next(StepTag::kStepStart));
  EXPECT_TRUE(StepTag::is_start(10000));
  EXPECT_FALSE(StepTag::is_start(20001));
}

TEST(TsTrack, MultipliesSlaveBlocks) {
  const BlockNumber record{.blocks = BlockNumber::pack_blocks(0xFFFF, 0xFFFF)};
  EXPECT_EQ(record.block_count(), 0xFFFFu);
  EXPECT_EQ(record.slave_block_count(), 0xFFFE0001u);
}

}  // namespace
}  // namespace npuprof::format::device
