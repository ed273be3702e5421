#include "format/host/enumerations.h"

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

std::string format_text(std::uint32_t format) {
  std::string text;
  append_tensor_format(text, format);
  return text;
}

TEST(Enumerations, NameTensorDataTypes) {
  EXPECT_EQ(tensor_data_type_name(0), "FLOAT");
  EXPECT_EQ(tensor_data_type_name(5), "");
  EXPECT_EQ(tensor_data_type_name(22), "QUINT16");
  EXPECT_EQ(tensor_data_type_name(27), "DT_BF16");
  EXPECT_EQ(tensor_data_type_name(235), "INT64_");
  EXPECT_EQ(tensor_data_type_name(240), "UINT64_");
  EXPECT_EQ(tensor_data_type_name(kUndefined), "UNDEFINED");
}

TEST(Enumerations, NameTensorFormatsWithTheirSubFormat) {
  EXPECT_EQ(format_text(2), "ND");
  EXPECT_EQ(format_text(0x1004), "FRACTAL_Z:16");
  EXPECT_EQ(format_text(22), "HASHTABLE_LOOKUP_VALUE");
  EXPECT_EQ(format_text(54), "FRACTAL_NZ_C0_8");
  EXPECT_EQ(format_text(221), "DHWCN_");
  EXPECT_EQ(format_text(kUndefined), "UNDEFINED");
  EXPECT_EQ(format_text(100), "100");
}

TEST(Enumerations, NameOperatorsAndCollectives) {
  EXPECT_EQ(ge_task_type_name(4), "MIX_AIC");
  EXPECT_EQ(ge_task_type_name(256), "HCCL_AI_CPU");
  EXPECT_EQ(hccl_data_type_name(11), "BFP16");
  EXPECT_EQ(hccl_data_type_name(13), "");
  EXPECT_EQ(hccl_data_type_from_name("FP16"), 3u);
  EXPECT_EQ(hccl_reduce_op_name(0), "SUM");
  EXPECT_EQ(hccl_link_type_name(5), "HCCS_SW");
  EXPECT_EQ(hccl_transport_type_name(2), "LOCAL");
  EXPECT_EQ(hccl_rdma_type_name(kHcclUnset), "INVALID_TYPE");
}

TEST(Enumerations, CallUnknownCopiesOther) {
  EXPECT_EQ(memcpy_direction_name(1), "host to device");
  EXPECT_EQ(memcpy_direction_name(7), "device to host ex");
  EXPECT_EQ(memcpy_direction_name(8), "other");
  EXPECT_EQ(memcpy_direction_name(kMemcpyOther), "other");
}

}  // namespace
}  // namespace npuprof::format::host
