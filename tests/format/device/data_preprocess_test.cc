#include "format/device/data_preprocess.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(DataPreprocess, RoundTripsRandomValues) {
  expect_round_trip<PreprocessNode>();
  expect_round_trip<PreprocessStep>();
  expect_round_trip<PreprocessModelMark>();
}

TEST(DataPreprocess, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<PreprocessNode>("run_start_us"), 8u);
  EXPECT_EQ(offset_of<PreprocessNode>("run_end_tick"), 56u);
  EXPECT_EQ(offset_of<PreprocessNode>("submit_tick"), 72u);
  EXPECT_EQ(offset_of<PreprocessNode>("kernel_type"), 104u);
  EXPECT_EQ(offset_of<PreprocessNode>("version"), 118u);
  EXPECT_EQ(offset_of<PreprocessStep>("action"), 16u);
  EXPECT_EQ(offset_of<PreprocessStep>("index"), 96u);
  EXPECT_EQ(offset_of<PreprocessModelMark>("step_tag"), 28u);
  EXPECT_EQ(offset_of<PreprocessModelMark>("event_id"), 32u);
}

TEST(DataPreprocess, TellsWrongMagicAndTag) {
  EXPECT_TRUE(PreprocessStep{}.is_valid());
  EXPECT_FALSE(PreprocessStep{.magic = 1}.is_valid());
  EXPECT_FALSE(PreprocessStep{.tag = 60}.is_valid());
  EXPECT_TRUE(PreprocessNode{}.is_valid());
  EXPECT_FALSE(PreprocessModelMark{.tag = 60}.is_valid());
}

TEST(DataPreprocess, ReadsStepsFromText) {
  const auto step = parse_preprocess_step(
      "[13135969231] Last queue dequeue, source:iterator_default, index:1, size:131");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->time_ns, 13135969231u);
  EXPECT_EQ(step->action, "Last queue dequeue");
  EXPECT_EQ(step->source, "iterator_default");
  EXPECT_EQ(step->index, 1u);
  EXPECT_EQ(step->size, 131u);
  std::string text;
  append_preprocess_step(text, *step);
  EXPECT_EQ(text.back(), '\0');
  EXPECT_EQ(parse_preprocess_step(trim(text.substr(0, text.size() - 1)))->size, 131u);
}

TEST(DataPreprocess, ReadsQueueWaits) {
  const auto wait = parse_queue_wait(
      "Node:GetNext_dequeue_wait, queue size:108, Run start:65347643713, Run end:65347643732");
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->node, "GetNext_dequeue_wait");
  EXPECT_EQ(wait->queue_size, 108u);
  EXPECT_EQ(wait->end_us - wait->start_us, 19u);
  std::string text;
  append_queue_wait(text, *wait);
  EXPECT_EQ(text.back(), '\0');
  EXPECT_EQ(parse_queue_wait(trim(text.substr(0, text.size() - 1)))->start_us, 65347643713u);
}

TEST(DataPreprocess, RefusesDamagedItems) {
  for (const char* item : {"", "[", "[]", "[12", "[12]", "[x] a, source:b, index:1, size:2",
                           "[1] a, source:b", "[1] a, b, index:1, size:2",
                           "[1] a, source:b, index:x, size:2", "[1] a, source:b, index:1, size:"}) {
    EXPECT_FALSE(parse_preprocess_step(item)) << item;
  }
  for (const char* item : {"", "Node", "Node:a", "Node:a, queue size:1, Run start:2",
                           "Node:a, queue size:-1, Run start:2, Run end:3",
                           "Node:a, queue size:1, Run start:2, Run end:3x"}) {
    EXPECT_FALSE(parse_queue_wait(item)) << item;
  }
}

TEST(DataPreprocess, ReadsTasksOfAiCpusFromText) {
  std::string text;
  append_aicpu_task(text, {.submit_tick = 38753260078,
                           .submitted_tick = 38753261085,
                           .run_start_tick = 38753270138,
                           .run_end_tick = 38753416849,
                           .dispatch_us = 100,
                           .total_us = 1567});
  EXPECT_EQ(text.back(), '\0');
  const auto task = parse_aicpu_task(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(task);
  EXPECT_EQ(task->submit_tick, 38753260078u);
  EXPECT_EQ(task->submitted_tick, 38753261085u);
  EXPECT_EQ(task->run_start_tick, 38753270138u);
  EXPECT_EQ(task->run_end_tick, 38753416849u);
  EXPECT_EQ(task->dispatch_us, 100u);
  EXPECT_EQ(task->total_us, 1567u);
  for (const char* other : {"", "Thread[ 1]", "Thread[ 1] task end, tickDrvTopHalf=x"}) {
    EXPECT_FALSE(parse_aicpu_task(other)) << other;
  }
}

TEST(DataPreprocess, ReadsNodesOfAiCpusFromText) {
  const auto node = parse_aicpu_node(
      "[2292299556] Node:Default/TruncatedNormal-op0, Run tart:4098200409, compute "
      "start:4098200509, memcpy start:4098200600, memcpy end:4098200606,Run end:4098200538");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node, "Default/TruncatedNormal-op0");
  EXPECT_EQ(node->compute_start_us, 4098200509u);
  EXPECT_EQ(node->memcpy_start_us, 4098200600u);
  EXPECT_EQ(node->memcpy_end_us, 4098200606u);
  const auto without_parts = parse_aicpu_node("[1] Node:GetNext, Run tart:2, Run end:3");
  ASSERT_TRUE(without_parts);
  EXPECT_EQ(without_parts->node, "GetNext");
  EXPECT_EQ(without_parts->memcpy_end_us, 0u);
  EXPECT_FALSE(parse_aicpu_node("Node:GetNext"));
}

}  // namespace
}  // namespace npuprof::format::device
