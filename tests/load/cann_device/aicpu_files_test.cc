#include "load/cann_device/aicpu_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/aicpu.h"
#include "format/device/data_preprocess.h"
#include "format/device/ts_track.h"
#include "raw_device.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/data_queue_events.h"
#include "trace/device/device_collectives.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/device/step_marks.h"

namespace npuprof::load {
namespace {

using namespace format::device;
using ::testing::ElementsAre;
using testing::RawDevice;

AiCpuNodeTimes node_times() {
  AiCpuNodeTimes times{};
  times.run_start_tick = 1000100;
  times.run_end_tick = 1002100;
  times.compute_start_us = 50;
  times.memcpy_start_us = 83;
  times.memcpy_end_us = 86;
  times.submit_tick = 1000000;
  times.after_run_tick = 1002120;
  times.dispatch_us = 3;
  return times;
}

TEST(AicpuFilesTest, Nodes) {
  RawDevice device;
  AiCpuNode node{};
  node.header = aicpu_header(AiCpuType::kNode, AiCpuNode::kPayloadLength, 1, 1000100);
  node.raw_stream = 2;
  node.raw_task = 8;
  node.times = node_times();
  AiCpuNode unfinished = node;
  unfinished.times.run_end_tick = 0;
  AiCpuNode damaged = node;
  damaged.header.magic = 0;
  device.write_records<AiCpuNode>("aicpu.data", {node, unfinished, damaged});
  PreprocessNode old{};
  old.raw_stream = 2;
  old.raw_task = 9;
  old.times = node_times();
  device.write_records<PreprocessNode>("DATA_PREPROCESS.AICPU", {old});
  const trace::Trace trace = device.load();
  const trace::AicpuNodes& nodes = trace.aicpu_nodes();
  EXPECT_THAT(nodes.task, ElementsAre(8, 9));
  EXPECT_EQ(nodes.start_ns[0], RawDevice::at(1000100));
  EXPECT_EQ(nodes.compute_us[0], 33);
  EXPECT_EQ(nodes.copy_us[0], 3);
  EXPECT_EQ(nodes.task_us[0], 40);
  EXPECT_EQ(nodes.dispatch_us[0], 3);
  EXPECT_DOUBLE_EQ(nodes.total_us[0], 42.4);
  EXPECT_EQ(device.losses.items().size(), 1u) << testing::describe(device.losses);
}

TEST(AicpuFilesTest, DataQueue) {
  RawDevice device;
  AiCpuDataPreprocess step{};
  step.header = aicpu_header(AiCpuType::kDataPreprocess, 96, 1, 7'000'000'100);
  step.action = FixedText<16>::make("Last queue deq");
  step.source = FixedText<64>::make("queue_1");
  step.index = 5;
  step.size = 6;
  AiCpuQueueWait wait{};
  wait.header = aicpu_header(AiCpuType::kMindSporeQueue, 32, 1, 0);
  wait.node_tag = AiCpuQueueWait::kGetNextDequeueWait;
  wait.queue_size = 7;
  wait.start_us = 7'000'001;
  wait.end_us = 7'000'003;
  device.write_text("aicpu.data", testing::bytes(step) + testing::bytes(wait));
  std::string old;
  append_preprocess_step(old, {7'000'000'200, "Last queue dequeue", "source", 1, 2});
  device.write_text("DATA_PREPROCESS.DP", old);
  std::string old_waits;
  append_queue_wait(old_waits, {"node", 108, 7'000'005, 7'000'006});
  device.write_text("DATA_PREPROCESS.AICPUMI", old_waits);
  const trace::Trace trace = device.load();
  const trace::DataQueueEvents& events = trace.data_queue_events();
  ASSERT_EQ(events.size(), 4u) << testing::describe(device.losses);
  EXPECT_THAT(events.is_wait, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(trace.strings.view(events.name[0]), "Last queue deq");
  EXPECT_EQ(trace.strings.view(events.source[0]), "queue_1");
  EXPECT_EQ(trace.strings.view(events.name[1]), "GetNext_dequeue_wait");
  EXPECT_EQ(trace.strings.view(events.name[3]), "node");
  EXPECT_THAT(events.queue_size, ElementsAre(6, 7, 2, 108));
  EXPECT_EQ(events.start_ns[0], RawDevice::kStartNs + 100);
  EXPECT_EQ(events.end_ns[1] - events.start_ns[1], 2000);
}

TEST(AicpuFilesTest, ModelMarksAreStepMarksOfStreamZero) {
  RawDevice device;
  AiCpuModelMark mark{};
  mark.header = aicpu_header(AiCpuType::kModelWithQueue, 24, 1, 1000100);
  mark.index_id = 2;
  mark.model_id = 3;
  mark.tag = 4;
  device.write_records<AiCpuModelMark>("aicpu.data", {mark});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.step_marks().time_ns, ElementsAre(RawDevice::at(1000100)));
  EXPECT_THAT(trace.step_marks().tag, ElementsAre(4));
  EXPECT_THAT(trace.step_marks().model_id, ElementsAre(3));
}

TEST(AicpuFilesTest, TurnsOfFusedKernels) {
  RawDevice device;
  AiCpuCommTurn turn{};
  turn.header = aicpu_header(AiCpuType::kCommTurn, AiCpuCommTurn::kPayloadLength, 1, 0);
  turn.server_start = 1000000;
  turn.wait_message = 1000010;
  turn.algorithm_start = 1000020;
  turn.send_task = 1000030;
  turn.send_sqe_done = 1000040;
  turn.queue_end = 1000050;
  turn.server_end = 1000060;
  turn.current_turn = 2;
  device.write_records<AiCpuCommTurn>("aicpu.data", {turn});
  const trace::Trace trace = device.load();
  const trace::KernelCommunicationTurns& turns = trace.kernel_communication_turns();
  ASSERT_EQ(turns.size(), 6u);
  EXPECT_EQ(trace.strings.view(turns.phase[0]), "StartServer");
  EXPECT_EQ(trace.strings.view(turns.phase[5]), "Finalize");
  EXPECT_EQ(turns.start_ns[4], RawDevice::at(1000040));
  EXPECT_EQ(turns.end_ns[4], RawDevice::at(1000050));
  EXPECT_EQ(turns.turn[0], 2);
}

TEST(AicpuFilesTest, CollectivesWithNamesAndBatches) {
  RawDevice device;
  device.write_host_file("unaging.additional.hash_dic.slice_0", "77:MESH\n");
  AiCpuHcclOp op{};
  op.header = aicpu_header(AiCpuType::kHcclOp, AiCpuHcclOp::kPayloadLength, 1, 1000100);
  op.flags = 2;
  op.data_type = 11;
  op.algorithm_hash = 77;
  op.count = 1024;
  op.group_hash = 123456;
  op.rank_size = 8;
  op.raw_stream = 6;
  op.task_id = 9;
  AiCpuHcclTasks tasks{};
  tasks.header = aicpu_header(AiCpuType::kHcclTasks, 232, 1, 1000120);
  tasks.items[0].group_hash = 123456;
  tasks.items[0].raw_stream = 7;
  tasks.items[0].task_id = 1;
  tasks.items[0].syscnt = 1000120;
  tasks.items[0].rdma_type = 255;
  tasks.items[0].size_bytes = 4096;
  AiCpuFlip flip{};
  flip.header = aicpu_header(AiCpuType::kFlip, 8, 1, 1000110);
  flip.raw_stream = 7;
  flip.flip_number = 5;
  AiCpuMainStreamMark mark{};
  mark.header = aicpu_header(AiCpuType::kMainStream, 10, 1, 1000105);
  mark.raw_aicpu_stream = 6;
  mark.raw_aicpu_task = 9;
  mark.raw_stream = 7;
  mark.raw_task = 65534;
  mark.position = AiCpuMainStreamMark::kLast;
  device.write_text("aicpu.data", testing::bytes(op) + testing::bytes(tasks) +
                                      testing::bytes(flip) + testing::bytes(mark));
  // The device saw the flip before as well, so its batches are one ahead.
  const auto device_flip = [](std::uint16_t number, std::uint64_t syscnt) {
    format::device::TaskFlip record{};
    record.head = TrackHead::make(TrackType::kFlip, syscnt);
    record.stream_id = 7;
    record.flip_number = number;
    return record;
  };
  device.write_records<format::device::TaskFlip>(
      "ts_track.data", {device_flip(4, 1000050), device_flip(5, 1000130)});
  const trace::Trace trace = device.load();
  const trace::DeviceCollectives& table = trace.device_collectives();
  ASSERT_THAT(table.kind, ElementsAre(10, 13, 12));
  EXPECT_THAT(table.stream, ElementsAre(6, 7, 7));
  EXPECT_THAT(table.task, ElementsAre(9, 1, 65534));
  EXPECT_THAT(table.batch, ElementsAre(0, 2, 1));
  EXPECT_EQ(table.retry[0], 1);
  EXPECT_EQ(table.relay[0], 0);
  EXPECT_EQ(trace.strings.view(table.algorithm[0]), "MESH");
  EXPECT_EQ(trace.strings.view(table.group[0]), "123456");
  EXPECT_EQ(table.rank_size[0], 8u);
  EXPECT_EQ(table.rdma_type[1], trace::kNone);
  EXPECT_EQ(table.size_bytes[1], 4096u);
  EXPECT_EQ(table.other_stream[2], 6);
  EXPECT_EQ(table.mark[2], 1);
}

}  // namespace
}  // namespace npuprof::load
