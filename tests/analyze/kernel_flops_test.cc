#include "analyze/kernel_flops.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analyze/peak_flops.h"

namespace npuprof::analyze {
namespace {

KernelTexts texts(std::string_view op_type, std::string_view inputs, std::string_view outputs,
                  std::string_view input_formats = "", std::string_view output_formats = "",
                  std::string_view dtypes = "FLOAT16;FLOAT16;FLOAT16") {
  return {op_type, inputs, dtypes, input_formats, outputs, "FLOAT16", output_formats};
}

TEST(KernelFlopsTest, ProductsAreCountedWhicheverSideIsTransposed) {
  constexpr double kExpected = 2.0 * 32 * 64 * 128;
  EXPECT_EQ(kernel_flops(texts("MatMulV2", "\"32,128;128,64\"", "\"32,64\"")), kExpected);
  EXPECT_EQ(kernel_flops(texts("MatMulV2", "32,128;64,128", "32,64")), kExpected);
  EXPECT_EQ(kernel_flops(texts("MatMulV3", "128,32;128,64", "32,64")), kExpected);
  EXPECT_EQ(kernel_flops(texts("MatMulV3", "128,32;64,128;64", "32,64")), kExpected);
  EXPECT_EQ(kernel_flops(texts("BatchMatMulV2", "6,32,128;6,128,64", "6,32,64")), 6 * kExpected);
  EXPECT_EQ(kernel_flops(texts("BatchMatMulV2", "6,32,128;128,64", "6,32,64")), 6 * kExpected);
  EXPECT_EQ(kernel_flops(texts("MatMulV2", "64,64;64,64", "64,64")), 2.0 * 64 * 64 * 64);
}

TEST(KernelFlopsTest, FractalShapesAreProductsOfTheirBlocks) {
  // [128, 64] x [64, 32]: columns / 16, rows / 16, 16, 16.
  EXPECT_EQ(kernel_flops(texts("MatMulV2", "4,8,16,16;2,4,16,16", "2,8,16,16",
                               "FRACTAL_NZ;FRACTAL_NZ", "FRACTAL_NZ")),
            2.0 * 128 * 64 * 32);
  EXPECT_EQ(peer_matmul_flops(texts("MatMulV2", "4,8,16,16;2,4,16,16", "2,8,16,16")),
            2.0 * 128 * 64 * 32);
  EXPECT_EQ(kernel_flops(texts("MatMulV2", "128,64;2,4,16,16", "128,32", "ND;FRACTAL_NZ", "ND")),
            2.0 * 128 * 64 * 32);
}

TEST(KernelFlopsTest, GroupsShareTheRowsOfTheLeftSide) {
  EXPECT_EQ(kernel_flops(texts("GroupedMatmul", "100,32;8,32,64", "100,64")), 2.0 * 100 * 32 * 64);
  EXPECT_EQ(kernel_flops(texts("GroupedMatmul", "32,100;100,64", "8,32,64")), 2.0 * 100 * 32 * 64);
}

TEST(KernelFlopsTest, AGatheredLeftSideHasFewerRowsThanTheProduct) {
  EXPECT_EQ(kernel_flops(texts("AllGatherMatmul", "16,128;128,64", "64,64")), 2.0 * 64 * 128 * 64);
}

TEST(KernelFlopsTest, ConvolutionsAndTheirGradientsCostTheSame) {
  const double forward = 2.0 * 32 * 192 * 27 * 27 * 64 * 5 * 5;
  EXPECT_EQ(kernel_flops(texts("Conv2D", "32,64,27,27;192,64,5,5;192", "32,192,27,27",
                               "NCHW;NCHW;ND", "NCHW")),
            forward);
  EXPECT_EQ(kernel_flops(texts("Conv2D", "32,8,27,27,8;200,12,16,8;192", "32,24,27,27,8",
                               "NC1HWC0;FRACTAL_Z;NCHW", "NC1HWC0")),
            forward);
  EXPECT_EQ(kernel_flops(texts("Conv2DBackpropInput", "4;200,12,16,8;32,24,27,27,8", "32,8,27,27,8",
                               "NCHW;FRACTAL_Z;NC1HWC0:1", "NC1HWC0")),
            forward);
  EXPECT_EQ(kernel_flops(texts("Conv2DBackpropFilter", "32,8,27,27,8;4;32,24,27,27,8",
                               "200,12,16,8", "NC1HWC0;NCHW;NC1HWC0", "FRACTAL_Z")),
            forward);
}

TEST(KernelFlopsTest, AttentionIsTwoProductsForEachHead) {
  // Batch 2, 4 heads of 64, 128 queries, 256 keys.
  const double dense = 2.0 * 2 * 4 * 128 * 256 * (64 + 64);
  const char* bnsd = "2,4,128,64;2,4,256,64;2,4,256,64";
  EXPECT_EQ(kernel_flops(texts("FlashAttentionScore", bnsd, "2,4,128,8;2,4,128,64")), dense);
  EXPECT_EQ(kernel_flops(texts("FlashAttentionScore", "2,128,4,64;2,256,4,64;2,256,4,64",
                               "2,4,128,8;2,128,4,64")),
            dense);
  EXPECT_EQ(
      kernel_flops(texts("PromptFlashAttention", "2,128,512;2,256,512;2,256,512", "2,128,512")),
      2.0 * 2 * 128 * 256 * (512 + 512));
  EXPECT_EQ(kernel_flops(texts("FlashAttentionScoreGrad", bnsd, "2,4,128,64")), 2.5 * dense);
}

TEST(KernelFlopsTest, GroupsOfQueriesThatShareKeysAreNotUndercounted) {
  // 8 heads of queries, 2 of keys, 64 each, side by side.
  const KernelTexts kernel =
      texts("FlashAttentionScore", "1,128,512;1,128,128;1,128,128", "1,8,128,8;1,128,512");
  EXPECT_EQ(kernel_flops(kernel), 2.0 * 8 * 128 * 128 * (64 + 64));
}

TEST(KernelFlopsTest, ACompressedMaskMeansThatHalfOfItIsLeftOut) {
  EXPECT_EQ(kernel_flops(texts("FlashAttentionScore", "1,4,512,64;1,4,512,64;1,4,512,64;2048,2048",
                               "1,4,512,64")),
            2.0 * 4 * 512 * 512 / 2 * (64 + 64));
}

TEST(KernelFlopsTest, PackedSequencesNeedTheirLengths) {
  const KernelTexts kernel =
      texts("FlashAttentionScore", "300,4,64;300,4,64;300,4,64", "300,4,8;300,4,64");
  EXPECT_TRUE(std::isnan(kernel_flops(kernel)));
  const AttentionArguments told = {.layout = "TND",
                                   .sparse_mode = 0,
                                   .is_told = true,
                                   .query_ends = {100, 300, 0, 0},
                                   .key_ends = {100, 300, 0}};
  const double expected = 2.0 * 4 * (64 + 64) * (100.0 * 100 + 200.0 * 200);
  EXPECT_EQ(attention_flops(kernel, told), expected);
  EXPECT_EQ(peer_attention_flops(kernel, told), expected);
  AttentionArguments causal = told;
  causal.sparse_mode = 3;
  EXPECT_EQ(attention_flops(kernel, causal), expected / 2);
  EXPECT_EQ(peer_attention_flops(kernel, causal), expected) << "it does not look at the mask";
}

TEST(KernelFlopsTest, OtherToolsDivideAMaskOfUnequalLengthsByTheWrongSquare) {
  const KernelTexts kernel = texts("FlashAttentionScore", "1,1,200,64;1,1,100,64;1,1,100,64", "");
  const AttentionArguments told = {.layout = "BNSD", .sparse_mode = 2, .is_told = true};
  const double dense = 2.0 * 200 * 100 * 128;
  EXPECT_EQ(attention_flops(kernel, told), 2.0 * (200 * 100 - 100 * 100 / 2) * 128);
  EXPECT_EQ(peer_attention_flops(kernel, told), dense * (20000.0 - 5000) / 10000);
  const AttentionArguments other = {.layout = "BNSD", .sparse_mode = 3, .is_told = true};
  EXPECT_TRUE(std::isnan(peer_attention_flops(kernel, other)));
  EXPECT_EQ(attention_flops(kernel, other), 2.0 * (100 * 100 / 2) * 128);
}

TEST(KernelFlopsTest, OtherToolsRateFewKernels) {
  EXPECT_EQ(peer_matmul_flops(texts("MatMulV3", "32,128;128,64", "32,64")), 2.0 * 32 * 128 * 64);
  EXPECT_EQ(peer_matmul_flops(texts("MatMulV3", "128,32;128,64", "32,64")), 2.0 * 32 * 128 * 64);
  EXPECT_EQ(peer_matmul_flops(texts("MatMulV3", "32,32;32,64", "32,64")), 2.0 * 32 * 32 * 64);
  EXPECT_TRUE(std::isnan(peer_matmul_flops(texts("BatchMatMul", "2,4,8;2,8,4", "2,4,4"))));
  EXPECT_TRUE(std::isnan(peer_matmul_flops(texts("MatMulV2", "2,4,8;2,8,4", "2,4,4"))));
  EXPECT_TRUE(std::isnan(
      peer_matmul_flops(texts("MatMulV2", "32,128;128,64", "32,64", "", "", "FLOAT16;INT8"))));
}

TEST(KernelFlopsTest, DamagedTextsAreNotKnown) {
  for (const char* shapes : {"", ";", "a,b;c,d", "-1,4;4,2", "4;4", "99999999999999999999,1;1,1"}) {
    EXPECT_TRUE(std::isnan(kernel_flops(texts("MatMulV2", shapes, "4,2")))) << shapes;
    EXPECT_TRUE(std::isnan(kernel_flops(texts("Conv2D", shapes, "4,2")))) << shapes;
    EXPECT_TRUE(std::isnan(kernel_flops(texts("FlashAttentionScore", shapes, "4,2")))) << shapes;
  }
  EXPECT_TRUE(std::isnan(kernel_flops(texts("Add", "4,2;4,2", "4,2"))));
}

TEST(KernelFlopsTest, EachTensorIsMovedOnce) {
  KernelTexts kernel = texts("Add", "4,2;4,2", "4,2");
  kernel.input_dtypes = "FLOAT;DT_BF16";
  EXPECT_EQ(kernel_bytes(kernel), 8 * 4 + 8 * 2 + 8 * 2);
  kernel.input_dtypes = "FLOAT;STRANGE";
  EXPECT_TRUE(std::isnan(kernel_bytes(kernel)));
}

TEST(PeakFlopsTest, PeaksAreCoresTimesFrequencyTimesWorkOfACycle) {
  const auto tflops = [](std::uint32_t cores, double mhz) {
    return std::round(peak_flops(cores, mhz, NumberType::kHalf) / 1e11) / 10;
  };
  EXPECT_EQ(tflops(24, 1800), 353.9);
  EXPECT_EQ(tflops(24, 1850), 363.7);
  EXPECT_EQ(tflops(20, 1800), 294.9);
  EXPECT_EQ(tflops(25, 1800), 368.6);
  EXPECT_EQ(tflops(32, 1000), 262.1);
  EXPECT_EQ(peak_flops(24, 1800, NumberType::kByte), 2 * peak_flops(24, 1800, NumberType::kHalf));
  EXPECT_EQ(peak_flops(24, 1800, NumberType::kSingle), peak_flops(24, 1800, NumberType::kHalf) / 4);
  EXPECT_EQ(peak_flops(24, 1800, NumberType::kUnknown), 0);
}

}  // namespace
}  // namespace npuprof::analyze
