#include <string>

#include <gtest/gtest.h>

#include "format/framework/record_bytes.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/record_shapes.h"

namespace npuprof::format::mindspore {
namespace {

using framework::testing::expect_record_round_trip;
using framework::testing::expect_round_trip;
using framework::testing::expect_same_bytes;
using framework::testing::hex;
using framework::testing::offset_of;

std::string event_name_of(const OpRange& record) {
  std::string name;
  append_event_name(name, record);
  return name;
}

TEST(MindSporeRecords, RoundTripRandomValues) {
  expect_round_trip<OpRangeFixed>();
  expect_round_trip<MemoryUsageFixed>();
  expect_record_round_trip<OpRange>();
  expect_record_round_trip<MemoryUsage>();
  expect_record_round_trip<RecordShapes>();
}

TEST(MindSporeRecords, HaveTheirFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<OpRangeFixed>("start"), 24u);
  EXPECT_EQ(offset_of<OpRangeFixed>("process_id"), 40u);
  EXPECT_EQ(offset_of<OpRangeFixed>("stage"), 48u);
  EXPECT_EQ(offset_of<OpRangeFixed>("is_stack"), 53u);
  EXPECT_EQ(offset_of<MemoryUsageFixed>("address"), 28u);
  EXPECT_EQ(offset_of<MemoryUsageFixed>("reserved"), 60u);
  EXPECT_EQ(offset_of<MemoryUsageFixed>("stream"), 92u);
  EXPECT_EQ(offset_of<MemoryUsageFixed>("type"), 99u);
}

TEST(MindSporeRecords, DecodeAStep) {
  const auto bytes = hex(
      "00006a0000004e00000000000000ffffffffffffffff0100000000000000e80300000000000038c7000000000000"
      "4e000000050035000000ff0000000d000e00000050726f66696c65725374657023350e000e00000050726f66696c"
      "65725374657023350f0000000000100000000000");
  const auto step = expect_same_bytes<OpRange>(bytes);
  EXPECT_EQ(step.fixed.thread_id, 78u);
  EXPECT_EQ(step.fixed.flow_id, kNoFlow);
  EXPECT_EQ(step.fixed.step, 1u);
  EXPECT_EQ(step.fixed.start, 1000u);
  EXPECT_EQ(step.fixed.end, 51000u);
  EXPECT_EQ(step.fixed.level, -1);
  EXPECT_FALSE(step.custom_info);
  EXPECT_EQ(event_name_of(step), "Python::PythonObserved::ProfilerStep#5");
}

TEST(MindSporeRecords, DecodeALaunch) {
  const auto bytes = hex(
      "00006f0000004f00000000000000ffffffffffffffff0100000000000000f82a000000000000803e000000000000"
      "4f000000040004000000ff0000000d00060000004d61744d756c0e001b00000044656661756c742f66632d44656e"
      "73652f4d61744d756c2d6f70300f0000000000100000000000");
  const auto launch = expect_same_bytes<OpRange>(bytes);
  EXPECT_EQ(launch.name, "MatMul");
  EXPECT_EQ(launch.fixed.start, 11000u);
  EXPECT_EQ(launch.fixed.end, 16000u);
  EXPECT_EQ(brief_name(launch.full_name), "MatMul");
  EXPECT_EQ(event_name_of(launch), "Kernel::KernelLaunch::Default/fc-Dense/MatMul-op0");
  EXPECT_TRUE(is_launch_name(event_name_of(launch)));
}

TEST(MindSporeRecords, DecodeAFlow) {
  const auto bytes = hex(
      "0000560000004e0000000000000007000000000000000100000000000000d007000000000000d107000000000000"
      "4e000000000000000000ff0000000d0004000000666c6f770e0004000000666c6f770f000000000010000000000"
      "0");
  const auto flow = expect_same_bytes<OpRange>(bytes);
  EXPECT_EQ(flow.fixed.flow_id, 7u);
  EXPECT_EQ(flow.name, kFlowName);
  EXPECT_EQ(event_name_of(flow), "flow");
}

TEST(MindSporeRecords, DecodeAnOperatorOfTheDataPipeline) {
  const auto bytes = hex(
      "0000810000005000000000000000ffffffffffffffff0100000000000000dc050000000000006c07000000000000"
      "50000000000000000000010100000d000d000000576f726b657250726f636573730e000000000011001400000062"
      "617463685f73697a653a323b73686170653a340f0007000000446174617365741000050000004261746368");
  const auto batch = expect_same_bytes<OpRange>(bytes);
  EXPECT_EQ(batch.module_text, kDatasetModule);
  EXPECT_EQ(batch.custom_info, "batch_size:2;shape:4");
  EXPECT_EQ(event_name_of(batch), "Dataset::Batch::WorkerProcess");
}

TEST(MindSporeRecords, DecodeAnAllocation) {
  const auto bytes = hex(
      "0d0085000000000000004f000000000000004d00000000000000e0c83a36fe9c9717001000000000000000080000"
      "0"
      "000000000080000000000000008000000000000000000400000000000000000000000000000000000000000"
      "00aa00000000000000000000000000020d001b00000044656661756c742f66632d44656e73652f4d61744d756c2d"
      "6f7030");
  const auto memory = expect_same_bytes<MemoryUsage>(bytes);
  EXPECT_EQ(memory.fixed.time, 1700000000001100000u);
  EXPECT_EQ(memory.fixed.address, 0x1000u);
  EXPECT_EQ(memory.fixed.size, 2048u);
  EXPECT_EQ(memory.fixed.reserved, 1u << 30);
  EXPECT_EQ(memory.fixed.stream_pointer, 43520u);
  EXPECT_EQ(memory.fixed.memory_type(), MemoryType::kKernel);
  EXPECT_FALSE(memory.fixed.is_release());
  EXPECT_EQ(memory.owner, "Default/fc-Dense/MatMul-op0");
}

TEST(MindSporeRecords, DecodeShapes) {
  const auto bytes =
      hex("03003e0000000000060000004d61744d756c010007000000322c323b322c3202001f00000054656e736f725b"
          "466c6f617433325d3b54656e736f725b466c6f617433325d");
  const auto shapes = expect_same_bytes<RecordShapes>(bytes);
  EXPECT_EQ(shapes.name, "MatMul");
  EXPECT_EQ(shapes.shapes, "2,2;2,2");
  EXPECT_EQ(shapes.types, "Tensor[Float32];Tensor[Float32]");
}

TEST(MindSporeRecords, NamesFollowTheKindOfRecord) {
  OpRange record;
  record.name = "train.py(3):main";
  record.full_name = "full";
  record.fixed.module = 4;
  record.fixed.event = 4;
  record.fixed.stage = 9;
  EXPECT_EQ(event_name_of(record), "Kernel::KernelLaunch::full");
  record.fixed.is_stage = 1;
  EXPECT_EQ(event_name_of(record), "SyncStream");
  record.fixed.is_stack = 1;
  EXPECT_EQ(event_name_of(record), "train.py(3):main");
  EXPECT_EQ(module_name(8), "Default");
  EXPECT_EQ(event_name(68), "NativeFunc");
  EXPECT_EQ(event_name(69), "Default");
}

TEST(MindSporeRecords, NamesHaveTheNumbersOfTheTables) {
  EXPECT_EQ(module_index("Other"), 7);
  EXPECT_EQ(event_index("PyNativeLaunchTask"), 32);
  EXPECT_EQ(event_index("PyBoostLaunchAclnn"), 49);
  EXPECT_EQ(event_index("PythonObserved"), 53);
  EXPECT_EQ(event_index("AclnnHitCacheStage1"), 58);
  EXPECT_EQ(stage_name(8), "WaitPipeline");
  EXPECT_EQ(event_index("never heard of"), std::nullopt);
}

TEST(MindSporeRecords, BriefNamesAreBetweenSlashAndNumber) {
  EXPECT_EQ(brief_name("a/b/ReLU-op1"), "ReLU");
  EXPECT_EQ(brief_name("MatMul"), "MatMul");
  EXPECT_EQ(brief_name("a-op1/b"), "a-op1/b");
}

}  // namespace
}  // namespace npuprof::format::mindspore
