#include "format/host/additional.h"

#include <gtest/gtest.h>

#include "format/host/layout_check.h"

namespace npuprof::format::host {
namespace {

using testing::expect_layout;
using testing::hex;

TEST(Additional, NodeAndModelLayoutsHaveTheirFieldsInPlace) {
  expect_layout<Tensor>({{"direction", 0}, {"format", 4}, {"data_type", 8}, {"shape", 12}});
  expect_layout<TensorInfo>({{"op_name", 24}, {"tensor_count", 32}, {"tensors", 36}});
  expect_layout<ContextIdInfo>({{"op_name", 24}, {"context_count", 32}, {"context_ids", 36}});
  expect_layout<FusionOpInfo>({{"op_name", 24},
                               {"fused_count", 32},
                               {"input_bytes", 36},
                               {"output_bytes", 44},
                               {"weight_bytes", 52},
                               {"workspace_bytes", 60},
                               {"total_bytes", 68},
                               {"fused_op_names", 76}});
  expect_layout<GraphIdMap>({{"model_name", 24}, {"graph_id", 32}, {"model_id", 36}});
  expect_layout<LogicStreamInfo>(
      {{"logical_stream", 24}, {"physical_count", 28}, {"physical_streams", 32}});
  expect_layout<ModelExeom>({{"model_id", 24}, {"model_name", 32}});
}

TEST(Additional, CommunicationLayoutsHaveTheirFieldsInPlace) {
  expect_layout<HcclInfo>({{"item", 24},
                           {"ccl_tag", 32},
                           {"group_name", 40},
                           {"local_rank", 48},
                           {"remote_rank", 52},
                           {"rank_size", 56},
                           {"workflow_mode", 60},
                           {"plane_id", 64},
                           {"context_id", 68},
                           {"notify_id", 72},
                           {"stage", 80},
                           {"role", 84},
                           {"estimated_duration_us", 88},
                           {"source_address", 96},
                           {"destination_address", 104},
                           {"data_size", 112},
                           {"reduce_op", 120},
                           {"data_type", 124},
                           {"link_type", 128},
                           {"transport_type", 132},
                           {"rdma_type", 136}});
  expect_layout<MultiThread>({{"thread_count", 24}, {"thread_ids", 28}});
  expect_layout<Mc2CommInfo>({{"group_name", 24},
                              {"rank_size", 32},
                              {"rank_id", 36},
                              {"user_rank_id", 40},
                              {"aicpu_stream", 44},
                              {"stream_count", 48},
                              {"streams", 52}});
  expect_layout<DpuHcclInfo>({{"item", 24},
                              {"ccl_tag", 32},
                              {"group_name", 40},
                              {"local_rank", 48},
                              {"remote_rank", 52},
                              {"rank_size", 56},
                              {"stage", 60},
                              {"notify_id", 64},
                              {"start", 72},
                              {"estimated_duration_us", 80},
                              {"source_address", 88},
                              {"destination_address", 96},
                              {"data_size", 104},
                              {"task_id", 112},
                              {"aicpu_task_id", 116},
                              {"stream", 120},
                              {"plane_id", 122},
                              {"npu_device", 124},
                              {"dpu_device", 126},
                              {"reduce_op", 128},
                              {"data_type", 129},
                              {"link_type", 130},
                              {"transport_type", 131},
                              {"rdma_type", 132},
                              {"role", 133},
                              {"workflow_mode", 134}});
  expect_layout<CcuTaskInfo>({{"version", 24},
                              {"workflow_mode", 25},
                              {"item", 32},
                              {"group_name", 40},
                              {"rank_id", 48},
                              {"rank_size", 52},
                              {"stream", 56},
                              {"task_id", 60},
                              {"die_id", 64},
                              {"mission_id", 65},
                              {"instruction_id", 66}});
  expect_layout<CcuWaitSignalInfo>({{"item", 32},
                                    {"group_name", 40},
                                    {"rank_id", 48},
                                    {"rank_size", 52},
                                    {"workflow_mode", 56},
                                    {"stream", 58},
                                    {"task_id", 60},
                                    {"die_id", 64},
                                    {"instruction_id", 66},
                                    {"mission_id", 68},
                                    {"cke_id", 72},
                                    {"mask", 76},
                                    {"channel_ids", 80},
                                    {"remote_rank_ids", 112}});
  expect_layout<CcuGroupInfo>({{"item", 32},
                               {"group_name", 40},
                               {"rank_id", 48},
                               {"rank_size", 52},
                               {"workflow_mode", 56},
                               {"stream", 58},
                               {"task_id", 60},
                               {"die_id", 64},
                               {"instruction_id", 66},
                               {"mission_id", 68},
                               {"reduce_op", 69},
                               {"input_data_type", 70},
                               {"output_data_type", 71},
                               {"data_size", 72},
                               {"channel_ids", 80},
                               {"remote_rank_ids", 112}});
}

TEST(Additional, MemoryLayoutsHaveTheirFieldsInPlace) {
  expect_layout<TaskMemoryInfo>({{"address", 24},
                                 {"size", 32},
                                 {"op_name", 40},
                                 {"total_allocated", 48},
                                 {"total_reserved", 56},
                                 {"device", 64},
                                 {"device_type", 68}});
  expect_layout<StaticOpMem>({{"size", 24},
                              {"op_name", 32},
                              {"life_start", 40},
                              {"life_end", 48},
                              {"total_allocated", 56},
                              {"dynamic_root_op", 64},
                              {"graph_id", 72}});
  expect_layout<MemoryApplication>({{"node_id", 24},
                                    {"address", 32},
                                    {"size", 40},
                                    {"total", 48},
                                    {"used", 56},
                                    {"device_type", 64},
                                    {"device", 65}});
  expect_layout<MemoryApplicationFrame>({{"node_id", 24}, {"device", 65}, {"reserved", 66}});
}

TEST(TensorInfo, CutsACountThatDoesNotFitAndEndsShapesAtZero) {
  TensorInfo info{};
  info.tensor_count = 4000000000u;
  EXPECT_EQ(info.valid_tensors().size(), TensorInfo::kMaxTensors);
  info.tensor_count = 2;
  EXPECT_EQ(info.valid_tensors().size(), 2u);
  EXPECT_EQ(TensorInfo::payload_length(1), 56u);
  info.tensors[0].shape = {16u, 32u, 0u, 5u};
  EXPECT_EQ(info.tensors[0].dimensions().size(), 2u);
  for (std::uint32_t i = 0; i < 8; ++i) info.tensors[0].shape[i] = i + 1;
  EXPECT_EQ(info.tensors[0].dimensions().size(), 8u);
}

TEST(TensorInfo, DecodesARecordWrittenByHand) {
  auto bytes =
      hex("5a5a 1027 01000000 0a000000 38000000 6400000000000000"
          "0700000000000000 01000000 01000000 02000000 1b000000"
          "00040000 00100000");
  bytes.resize(sizeof(TensorInfo));
  const auto info = load<TensorInfo>(bytes.data());
  EXPECT_EQ(info.op_name, 7u);
  ASSERT_EQ(info.valid_tensors().size(), 1u);
  const Tensor& tensor = info.valid_tensors()[0];
  EXPECT_EQ(tensor.direction, Tensor::kOutput);
  EXPECT_EQ(tensor.format, 2u);
  EXPECT_EQ(tensor.data_type, 27u);
  ASSERT_EQ(tensor.dimensions().size(), 2u);
  EXPECT_EQ(tensor.dimensions()[0], 1024u);
  EXPECT_EQ(tensor.dimensions()[1], 4096u);
}

TEST(HcclInfo, KeepsTheEstimateAsADouble) {
  std::vector<std::byte> bytes(sizeof(HcclInfo));
  bytes[95] = std::byte{0x3f};
  bytes[94] = std::byte{0xf8};  // 1.5
  EXPECT_EQ(load<HcclInfo>(bytes.data()).estimated_duration_us, 1.5);
}

TEST(CountedLists, NeverReachBeyondTheRecord) {
  constexpr std::uint32_t kTooMany = 0xFFFFFFFF;
  EXPECT_EQ(ContextIdInfo{.context_count = kTooMany}.valid_context_ids().size(), 55u);
  EXPECT_EQ(FusionOpInfo{.fused_count = kTooMany}.valid_fused_op_names().size(), 8u);
  EXPECT_EQ(LogicStreamInfo{.physical_count = kTooMany}.valid_physical_streams().size(), 56u);
  EXPECT_EQ(Mc2CommInfo{.stream_count = kTooMany}.valid_streams().size(), 8u);
}

}  // namespace
}  // namespace npuprof::format::host
