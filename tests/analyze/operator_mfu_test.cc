#include "analyze/operator_mfu.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/attention_marks.h"
#include "analyze/module_trace.h"
#include "analyze/peer_mfu.h"
#include "trace/device/frequencies.h"

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;
using testing::KernelDescription;
using testing::ModuleTrace;

// A core at 1000 MHz: 8.192 TFLOP/s of FP16.
constexpr double kPeak = 8.192e12;
constexpr KernelDescription kProduct = {
    .op_type = "MatMulV3", .input_shapes = "512,1024;1024,512", .output_shapes = "512,512"};
constexpr double kProductFlops = 2.0 * 512 * 1024 * 512;
constexpr KernelDescription kCast = {.op_type = "Cast",
                                     .input_shapes = "512,1024",
                                     .output_shapes = "512,1024",
                                     .dtypes = "FLOAT16",
                                     .task_type = "AI_VECTOR_CORE"};

struct Rated {
  explicit Rated(ModuleTrace& trace, const PeakOptions& options = {})
      : work(operator_work(*trace)),
        peaks(*trace, options),
        flops(work_flops(*trace, work, peaks)) {}

  OperatorWork work;
  Peaks peaks;
  WorkFlops flops;
};

// A call that the program told of, with a kernel that converts and one that multiplies.
void add_told_call(ModuleTrace& trace) {
  trace.device(1, 1000);
  trace.mark("mfu_flops", "1000000000-linear", 0, 100);
  const std::uint32_t op = trace.op("aclnnMatmul", 10, 20);
  trace.kernel(op, "cast", 1'000'000, 1'100'000, kCast);
  trace.kernel(op, "product", 1'100'000, 1'600'000, kProduct);
}

TEST(OperatorMfuTest, WhatACallDoesBelongsToItsKernelsThatMultiply) {
  ModuleTrace trace;
  add_told_call(trace);
  const Rated rated(trace);
  EXPECT_THAT(rated.flops.flops, ElementsAre(0, 1e9));
  EXPECT_THAT(rated.flops.is_helper, ElementsAre(1, 0));
  const std::vector<CallUse> uses = call_uses(rated.work, rated.flops);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].name, "linear");
  EXPECT_EQ(uses[0].cube_ns, 500'000);
  EXPECT_EQ(uses[0].helper_ns, 100'000);
  EXPECT_DOUBLE_EQ(uses[0].tflops, 2);
  EXPECT_DOUBLE_EQ(uses[0].mfu, 2e12 / kPeak);
}

TEST(OperatorMfuTest, OtherToolsGiveAllOfACallToEachOfItsKernels) {
  ModuleTrace trace;
  add_told_call(trace);
  const Rated rated(trace);
  const PeerMfu mfu = peer_mfu_of_ranges(*trace, rated.work, rated.peaks);
  ASSERT_EQ(mfu.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(mfu.rows[0].mfu, 1e9 / 100e-6 / kPeak);
  EXPECT_DOUBLE_EQ(mfu.rows[1].mfu, 1e9 / 500e-6 / kPeak);
  EXPECT_DOUBLE_EQ(mfu.rows[1].tflops, 2);
  EXPECT_DOUBLE_EQ(mfu.rows[1].peak_tflops, kPeak / 1e12);
  EXPECT_EQ(mfu.rows[1].flops_name, "linear");
}

TEST(OperatorMfuTest, ATypeWithoutAPeakCostsNoOtherRow) {
  ModuleTrace trace;
  add_told_call(trace);
  KernelDescription odd = kProduct;
  odd.dtypes = "COMPLEX64;COMPLEX64";
  trace.mark("mfu_flops", "5-odd", 200, 300);
  trace.kernel(trace.op("aclnnMatmul", 210, 220), "odd", 2'000'000, 2'100'000, odd);
  const Rated rated(trace);
  EXPECT_EQ(peer_mfu_of_ranges(*trace, rated.work, rated.peaks).rows.size(), 2u);
  const std::vector<CallUse> uses = call_uses(rated.work, rated.flops);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_FALSE(std::isnan(uses[0].mfu));
  EXPECT_TRUE(std::isnan(uses[1].mfu));
}

TEST(OperatorMfuTest, RangesThatSayNothingAreLeftOut) {
  ModuleTrace trace;
  trace.mark("mfu_flops", "0-zero", 0, 10);
  trace.mark("mfu_flops", "12", 0, 10);
  trace.mark("mfu_flops", "-4-negative", 0, 10);
  trace.mark("mfu_flops", "7-empty", 5, 5);
  trace.mark("mfu_flops", "7-a-b", 3, 10);
  trace.mark("other", "7-other", 0, 10);
  const std::vector<FlopsRange> ranges = flops_ranges(*trace);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].flops, 7);
  EXPECT_EQ(ranges[0].name, "a-b");
}

TEST(OperatorMfuTest, KernelsAreRatedAtTheFrequencyTheyRanAt) {
  ModuleTrace trace;
  trace.device(1, 1000);
  trace->frequencies().time_ns = {1'500'000};
  trace->frequencies().device = {0};
  trace->frequencies().kind = {0};
  trace->frequencies().value = {500};
  trace->frequencies().die = {0};
  const std::uint32_t op = trace.op("mm", 10, 20);
  trace.kernel(op, "a", 1'000'000, 1'100'000, kProduct);
  trace.kernel(op, "b", 2'000'000, 2'100'000, kProduct);
  const Rated rated(trace);
  EXPECT_DOUBLE_EQ(rated.flops.ideal_ns[0], kProductFlops / kPeak * 1e9);
  EXPECT_DOUBLE_EQ(rated.flops.ideal_ns[1], 2 * kProductFlops / kPeak * 1e9);
  const auto uses = kernel_type_uses(*trace, rated.work, rated.flops, {});
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_DOUBLE_EQ(uses[0].mfu, 3 * kProductFlops / kPeak / 200e-6);
  EXPECT_DOUBLE_EQ(uses[0].flops, 2 * kProductFlops);
  EXPECT_DOUBLE_EQ(uses[0].bytes, 2 * 2 * (2 * 512 * 1024 + 512 * 512));
}

TEST(OperatorMfuTest, APeakThatTheUserGivesCounts) {
  ModuleTrace trace;
  trace.kernel(trace.op("mm", 10, 20), "a", 1'000'000, 1'100'000, kProduct);
  EXPECT_FALSE(Rated(trace).peaks.is_known());
  EXPECT_TRUE(std::isnan(Rated(trace).flops.ideal_ns[0]));
  EXPECT_DOUBLE_EQ(Rated(trace, {.tflops = 10}).flops.ideal_ns[0], kProductFlops / 1e13 * 1e9);
}

TEST(OperatorMfuTest, SinglePrecisionHasItsOwnPeakAndThatOfHalfWithOtherTools) {
  ModuleTrace trace;
  trace.device(1, 1000);
  KernelDescription single = kProduct;
  single.dtypes = "FLOAT;FLOAT";
  trace.kernel(trace.op("mm", 10, 20), "a", 1'000'000, 2'000'000, single);
  const Rated rated(trace);
  EXPECT_DOUBLE_EQ(rated.flops.ideal_ns[0], kProductFlops / (kPeak / 4) * 1e9);
  EXPECT_THAT(peer_mfu_of_shapes(*trace, rated.work, rated.peaks),
              ElementsAre(::testing::DoubleEq(kProductFlops / 1e-3 / kPeak)));
}

TEST(OperatorMfuTest, MarksTellOfTheNextAttentionWithin3Milliseconds) {
  constexpr KernelDescription kAttention = {.op_type = "FlashAttentionScore",
                                            .input_shapes = "1,2,64,16;1,2,64,16;1,2,64,16",
                                            .output_shapes = "1,2,64,16",
                                            .dtypes = "FLOAT16;FLOAT16;FLOAT16"};
  ModuleTrace trace;
  trace.device(1, 1000);
  trace.mark("flash_attn_args", "{\"is_causal\": false}", 0, 0, 1, 0);
  trace.mark("flash_attn_args", "{\"is_causal\": true}", 100, 100, 1, 0);
  trace.mark("flash_attn_args", "{\"is_causal\": true}", 1'000'000, 1'000'000, 1, 0);
  trace.kernel(trace.op("attention", 200, 300), "a", 10'000'000, 10'001'000, kAttention);
  trace.kernel(trace.op("attention", 4'000'001, 4'000'100), "b", 10'002'000, 10'003'000,
               kAttention);
  const OperatorWork work = operator_work(*trace);
  const AttentionMarks marks = attention_marks(*trace, work);
  ASSERT_NE(marks.find(0), nullptr);
  EXPECT_EQ(marks.find(0)->sparse_mode, 2);
  EXPECT_EQ(marks.find(1), nullptr);
  const double dense = 2.0 * 2 * 64 * 64 * (16 + 16);
  const Peaks peaks(*trace, {});
  const std::vector<double> values = peer_mfu_of_shapes(*trace, work, peaks);
  EXPECT_DOUBLE_EQ(values[0], dense / 2 / 1e-6 / kPeak);
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(OperatorMfuTest, MarksOfAttentionThatAreNoneTellNothing) {
  for (const char* text : {"", "[]", "{", "{\"is_causal\": 3}", "{\"input_layout\": 5}"}) {
    EXPECT_FALSE(parse_attention_mark(text).is_told) << text;
  }
  const AttentionArguments told = parse_attention_mark(
      R"({"input_layout": "TND", "sparse_mode": 3, "actual_seq_qlen": [4, 9],
          "actual_seq_kvlen": [4, 9, null]})");
  EXPECT_EQ(told.layout, "TND");
  EXPECT_EQ(told.sparse_mode, 3);
  EXPECT_THAT(told.query_ends, ElementsAre(4, 9));
  EXPECT_THAT(told.key_ends, ElementsAre(4, 9));
}

TEST(OperatorMfuTest, ShapesAndTheHighestBandwidthTellKernelsApart) {
  ModuleTrace trace;
  trace.device(1, 1000);
  KernelDescription large = kProduct;
  large.input_shapes = "4096,1024;1024,512";
  large.output_shapes = "4096,512";
  const std::uint32_t op = trace.op("mm", 10, 20);
  trace.kernel(op, "a", 1'000'000, 1'100'000, kProduct);
  trace.kernel(op, "b", 2'000'000, 2'100'000, kProduct);
  trace.kernel(op, "c", 3'000'000, 3'100'000, large);
  const Rated rated(trace);
  const double large_bytes = 2.0 * (4096 * 1024 + 1024 * 512 + 4096 * 512);
  const MemoryRoof seen = memory_roof(*trace, rated.work, rated.flops, 0);
  EXPECT_FALSE(seen.is_told);
  EXPECT_DOUBLE_EQ(seen.gb_s, large_bytes / 100e3);
  EXPECT_DOUBLE_EQ(memory_roof(*trace, rated.work, rated.flops, 1600).gb_s, 1600);
  const auto uses = kernel_type_uses(*trace, rated.work, rated.flops, seen, UseKey::kShapes);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(trace->strings.view(uses[0].input_shapes), kProduct.input_shapes);
  EXPECT_EQ(uses[0].count, 2u);
  const std::vector<KernelUse> kernels = kernel_uses(*trace, rated.work, rated.flops, seen);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_DOUBLE_EQ(kernels[2].gb_s, seen.gb_s);
  EXPECT_EQ(kernels[2].bound, kernels[2].mfu > 1 ? Bound::kCompute : Bound::kMemory);
}

// A sum that finds its data in the cache, and a gather that reads a few rows of a large table, are
// no sign of what the memory can do; nor is the product, which is bound by something else.
TEST(OperatorMfuTest, TheBandwidthIsThatOfKernelsThatMoveData) {
  ModuleTrace trace;
  trace.device(1, 1000);
  KernelDescription sum = {.op_type = "Add",
                           .input_shapes = "1000,1000;1000,1000",
                           .output_shapes = "1000,1000",
                           .dtypes = "FLOAT16;FLOAT16"};
  KernelDescription gather = sum;
  gather.op_type = "GatherV2";
  KernelDescription product = kProduct;
  product.input_shapes = "4096,1024;1024,512";
  product.output_shapes = "4096,512";
  const std::uint32_t op = trace.op("op", 10, 20);
  for (std::int64_t i = 1; i <= 20; ++i) {
    trace.kernel(op, "a", i * 1'000'000, i * 1'000'000 + 10'000, sum);
    trace.kernel(op, "g", i * 1'000'000 + 20'000, i * 1'000'000 + 21'000, gather);
    trace.kernel(op, "p", i * 1'000'000 + 30'000, i * 1'000'000 + 31'000, product);
  }
  trace.kernel(op, "cached", 500'000, 501'000, sum);
  const Rated rated(trace);
  const MemoryRoof seen = memory_roof(*trace, rated.work, rated.flops, 0);
  EXPECT_DOUBLE_EQ(seen.gb_s, 3 * 2e6 / 10'000);
}

TEST(OperatorMfuTest, AKernelIsBoundByThePeakItReaches) {
  const double none = kUnknownWork;
  EXPECT_EQ(roofline_bound(0.7, 0.2), Bound::kCompute);
  EXPECT_EQ(roofline_bound(0.1, 0.8), Bound::kMemory);
  EXPECT_EQ(roofline_bound(none, 0.8), Bound::kMemory);
  EXPECT_EQ(roofline_bound(0.2, 0.3), Bound::kNeither);
  EXPECT_EQ(roofline_bound(0.2, none), Bound::kUnknown);
  EXPECT_EQ(roofline_bound(none, 0.2), Bound::kUnknown);
  EXPECT_EQ(roofline_bound(none, none), Bound::kUnknown);
}

}  // namespace
}  // namespace npuprof::analyze
