#include "format/host/compact.h"

#include <gtest/gtest.h>

#include "format/host/layout_check.h"

namespace npuprof::format::host {
namespace {

using testing::expect_layout;
using testing::hex;

TEST(Compact, EveryLayoutHasItsFieldsInPlace) {
  expect_layout<RecordHeader>({{"magic", 0},
                               {"level", 2},
                               {"type", 4},
                               {"thread_id", 8},
                               {"payload_length", 12},
                               {"timestamp", 16}});
  expect_layout<TaskTrack>({{"device", 24},
                            {"stream", 26},
                            {"task_id", 28},
                            {"task_type", 32},
                            {"kernel_name", 40},
                            {"extension", 48}});
  expect_layout<KernelExtension>(
      {{"block_count", 0}, {"argument_bytes", 2}, {"ratio_and_schedule", 4}});
  expect_layout<SimtExtension>(
      {{"grid", 0}, {"block", 6}, {"argument_bytes", 12}, {"schedule", 14}});
  expect_layout<ModelExtension>({{"model_id", 0}});
  expect_layout<TaskTrackV2>({{"device", 24},
                              {"stream", 28},
                              {"task_id", 32},
                              {"task_type", 36},
                              {"kernel_name", 40},
                              {"extension", 48}});
  expect_layout<DpuTrack>(
      {{"device", 24}, {"stream", 26}, {"task_id", 28}, {"task_type", 32}, {"start", 40}});
  expect_layout<CaptureStreamInfo>({{"status", 24},
                                    {"captured_stream", 26},
                                    {"original_stream", 28},
                                    {"model_id", 30},
                                    {"device", 32}});
  expect_layout<CaptureStreamInfoV2>({{"device", 24},
                                      {"status", 26},
                                      {"captured_stream", 28},
                                      {"original_stream", 32},
                                      {"model_id", 36}});
  expect_layout<ExpandStreamSpec>({{"expand_status", 24}});
  expect_layout<StreamSqInfo>(
      {{"status", 24}, {"stream", 28}, {"runtime_queue", 32}, {"device", 34}, {"scheduler", 36}});
  expect_layout<NodeBasicInfo>(
      {{"op_name", 24}, {"task_type", 32}, {"op_type", 36}, {"blocks", 44}, {"op_flag", 48}});
  expect_layout<NodeAttrInfo>({{"op_name", 24}, {"attribute_type", 32}, {"attributes", 36}});
  expect_layout<HcclOpInfo>({{"flags", 24},
                             {"data_type", 25},
                             {"algorithm", 26},
                             {"element_count", 34},
                             {"group_name", 42}});
  expect_layout<MemcpyInfo>({{"data_size", 24}, {"max_size", 32}, {"direction", 40}});
  expect_layout<MemcpyExtInfo>(
      {{"data_size", 24}, {"direction", 32}, {"device", 34}, {"stream", 36}});
  expect_layout<MemsetInfo>({{"data_size", 24}, {"value", 32}, {"stream", 36}, {"device", 40}});
  expect_layout<MemmngInfo>({{"address", 24},
                             {"size", 32},
                             {"memory_type", 40},
                             {"operation", 44},
                             {"device", 46},
                             {"stream", 48}});
}

TEST(TaskTrack, DecodesARecordWrittenByHand) {
  const auto bytes =
      hex("5a5a 8813 22030000 39300000 28000000 0100000000000000"
          "0210 0300 07000200 4200000000000000 efcdab8967452301"
          "1400 8000 0a 0000000000000000000000");
  const auto track = load<TaskTrack>(bytes.data());
  EXPECT_EQ(track.header.level, kLevelRuntime);
  EXPECT_EQ(track.header.type, TaskTrack::kKind.type);
  EXPECT_EQ(track.header.thread_id, 12345u);
  EXPECT_EQ(track.header.timestamp, 1u);
  EXPECT_EQ(track.device_field().id(), 2);
  EXPECT_EQ(track.device_field().device_class(), DeviceField::kDpu);
  EXPECT_EQ(track.stream, 3);
  EXPECT_EQ(track.short_task_id(), 7);
  EXPECT_EQ(track.flip_count(), 2);
  EXPECT_EQ(task_type_name(track.task_type), "KERNEL_AIVEC");
  EXPECT_EQ(track.kernel_name, 0x0123456789abcdefu);
  ASSERT_TRUE(track.has_extension());
  const auto kernel = extension_as<KernelExtension>(track.extension);
  EXPECT_EQ(kernel.block_count, 20);
  EXPECT_EQ(kernel.argument_bytes, 128);
  EXPECT_EQ(kernel.mix_ratio(), 2u);
  EXPECT_EQ(kernel.schedule_mode(), 1u);
}

TEST(TaskTrack, EncodesWhatItDecodes) {
  TaskTrack track{.header = header_of<TaskTrack>(5, 6),
                  .device = DeviceField::encode(DeviceField::kNpu, 9),
                  .task_id = TaskTrack::encode_task_id(65534, 3)};
  track.extension = make_extension(
      KernelExtension{.block_count = 24, .ratio_and_schedule = KernelExtension::encode(2, 3)});
  EXPECT_EQ(track.header.magic, kMagic);
  EXPECT_EQ(track.device_field().id(), 9);
  EXPECT_EQ(track.short_task_id(), 65534);
  EXPECT_EQ(track.flip_count(), 3);
  EXPECT_EQ(extension_as<KernelExtension>(track.extension).schedule_mode(), 3u);
  EXPECT_EQ(extension_as<ModelExtension>(track.extension).model_id, 24u);
  track.header.payload_length = TaskTrack::kShortPayloadLength;
  EXPECT_FALSE(track.has_extension());
}

TEST(NodeBasicInfo, PacksBlocksAndRatio) {
  const NodeBasicInfo info{.blocks = NodeBasicInfo::encode_blocks(20, 2)};
  EXPECT_EQ(info.block_count(), 20u);
  EXPECT_EQ(info.mix_ratio(), 2u);
}

TEST(HcclOpInfo, DecodesUnalignedFields) {
  const auto bytes =
      hex("5a5a 1027 0a000000 00000000 1a000000 0000000000000000"
          "02 0b 1100000000000000 0008000000000000 2200000000000000"
          "0000000000000000000000000000");
  const auto op = load<HcclOpInfo>(bytes.data());
  EXPECT_FALSE(op.relay());
  EXPECT_TRUE(op.retry());
  EXPECT_EQ(op.data_type, 11);
  EXPECT_EQ(op.algorithm, 0x11u);
  EXPECT_EQ(op.element_count, 2048u);
  EXPECT_EQ(op.group_name, 0x22u);
}

}  // namespace
}  // namespace npuprof::format::host
