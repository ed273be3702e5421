#include "format/device/aicpu.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(AiCpu, RoundTripsRandomValues) {
  expect_round_trip<AiCpuRecord>();
  expect_round_trip<AiCpuNodeTimes>();
  expect_round_trip<AiCpuNode>();
  expect_round_trip<AiCpuDataPreprocess>();
  expect_round_trip<AiCpuModelMark>();
  expect_round_trip<AiCpuQueueWait>();
  expect_round_trip<AiCpuCommTurn>();
  expect_round_trip<AiCpuComputeTurn>();
  expect_round_trip<AiCpuHcclOp>();
  expect_round_trip<AiCpuFlip>();
  expect_round_trip<AiCpuMainStreamMark>();
  expect_round_trip<AiCpuHcclTask>();
  expect_round_trip<AiCpuHcclTasks>();
}

TEST(AiCpu, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<AiCpuNode>("raw_stream"), 24u);
  EXPECT_EQ(offset_of<AiCpuNode>("run_start_us"), 32u);
  EXPECT_EQ(offset_of<AiCpuNode>("run_end_tick"), 80u);
  EXPECT_EQ(offset_of<AiCpuNode>("node_thread_id"), 88u);
  EXPECT_EQ(offset_of<AiCpuNode>("after_run_tick"), 120u);
  EXPECT_EQ(offset_of<AiCpuNode>("ffts_thread_id"), 140u);
  EXPECT_EQ(offset_of<AiCpuNode>("version"), 142u);
  EXPECT_EQ(offset_of<AiCpuDataPreprocess>("source"), 40u);
  EXPECT_EQ(offset_of<AiCpuDataPreprocess>("size"), 112u);
  EXPECT_EQ(offset_of<AiCpuModelMark>("event_id"), 40u);
  EXPECT_EQ(offset_of<AiCpuQueueWait>("end_us"), 48u);
  EXPECT_EQ(offset_of<AiCpuCommTurn>("data_length"), 80u);
  EXPECT_EQ(offset_of<AiCpuCommTurn>("current_turn"), 98u);
  EXPECT_EQ(offset_of<AiCpuComputeTurn>("current_turn"), 66u);
  EXPECT_EQ(offset_of<AiCpuHcclOp>("algorithm_hash"), 26u);
  EXPECT_EQ(offset_of<AiCpuHcclOp>("task_id"), 56u);
  EXPECT_EQ(offset_of<AiCpuFlip>("flip_number"), 28u);
  EXPECT_EQ(offset_of<AiCpuMainStreamMark>("position"), 32u);
  EXPECT_EQ(offset_of<AiCpuHcclTask>("syscnt"), 48u);
  EXPECT_EQ(offset_of<AiCpuHcclTask>("raw_stream"), 96u);
  EXPECT_EQ(offset_of<AiCpuHcclTask>("workflow_mode"), 106u);
}

TEST(AiCpu, DispatchesOnTheType) {
  AiCpuHcclTasks written{
      .header = aicpu_header(AiCpuType::kHcclTasks, AiCpuHcclTasks::kPayloadLength, 77, 1234)};
  written.items[1].group_hash = 5;
  written.items[1].estimated_duration = 2.5;
  const auto record = load<AiCpuRecord>(bytes_of(written).data());
  EXPECT_TRUE(record.has_magic());
  EXPECT_EQ(record.header.level, 6000);
  ASSERT_EQ(record.type(), AiCpuType::kHcclTasks);
  const auto tasks = record.as<AiCpuHcclTasks>();
  EXPECT_EQ(tasks.header.timestamp, 1234u);
  EXPECT_TRUE(tasks.items[0].is_empty());
  EXPECT_FALSE(tasks.items[1].is_empty());
  EXPECT_EQ(tasks.items[1].estimated_duration, 2.5);
}

TEST(AiCpu, TellsTheFlagsOfACollective) {
  EXPECT_TRUE(AiCpuHcclOp{.flags = 1}.is_relay());
  EXPECT_FALSE(AiCpuHcclOp{.flags = 1}.is_retry());
  EXPECT_TRUE(AiCpuHcclOp{.flags = 2}.is_retry());
}

TEST(FixedText, EndsAtNulOrWidth) {
  EXPECT_EQ(FixedText<4>::make("ab").view(), "ab");
  EXPECT_EQ(FixedText<4>::make("abcd").view(), "abcd");
  EXPECT_EQ(FixedText<4>::make("abcdef").view(), "abcd");
  EXPECT_EQ(FixedText<4>::make("").view(), "");
}

}  // namespace
}  // namespace npuprof::format::device
