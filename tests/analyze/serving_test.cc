#include "analyze/serving.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/serving_tokens.h"
#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kServingUs = 1'000;
constexpr std::int64_t kServingOrigin = 1'700'000'000'000'000'000;

std::int64_t serving_us(std::int64_t time) { return kServingOrigin + time * kServingUs; }

// Times in microseconds.
class ServingTest : public ::testing::Test {
 protected:
  std::uint32_t op(std::int64_t start, std::int64_t end, std::string_view name,
                   std::uint32_t tid = 1) {
    return trace_.add_op(tid, serving_us(start), serving_us(end), name);
  }
  std::uint32_t kernel(std::int64_t launch, std::int64_t start, std::int64_t end,
                       std::string_view type, std::string_view shapes,
                       std::uint32_t op_row = trace::kNone) {
    const std::uint32_t task =
        trace_.add_task(2, serving_us(launch), serving_us(start), serving_us(end));
    trace_->tasks().model_id[task] = trace::kNone;
    auto& kernels = trace_->kernels();
    trace::resize_rows(kernels, kernels.size() + 1);
    kernels.task.back() = task;
    kernels.op_type.back() = trace_->strings.intern(type);
    kernels.input_shapes.back() = trace_->strings.intern(shapes);
    trace_->tasks().kernel[task] = static_cast<std::uint32_t>(kernels.size() - 1);
    if (op_row != trace::kNone) {
      trace_->kernel_ops().op.push_back(op_row);
      trace_->kernel_ops().task.push_back(task);
    }
    return task;
  }
  void step(std::int64_t id, std::int64_t start, std::int64_t end) {
    auto& steps = trace_->steps();
    trace::resize_rows(steps, steps.size() + 1);
    steps.id.back() = id;
    steps.host_start_ns.back() = serving_us(start);
    steps.host_end_ns.back() = serving_us(end);
  }
  Serving analyzed() {
    link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
    return serving(*trace_);
  }

  link::testing::FrameworkTrace trace_;
};

TEST_F(ServingTest, NamesSayThePhase) {
  EXPECT_EQ(read_serving_name("prefill").phase, ServingPhase::kPrefill);
  EXPECT_EQ(read_serving_name("Model.Decode step 7").phase, ServingPhase::kDecode);
  EXPECT_EQ(read_serving_name("prefill+decode").phase, ServingPhase::kMixed);
  EXPECT_EQ(read_serving_name("LlamaDecoderLayer").phase, ServingPhase::kUnknown);
  EXPECT_EQ(read_serving_name("npu::prefill_attention").phase, ServingPhase::kUnknown);
  EXPECT_EQ(read_serving_name("").phase, ServingPhase::kUnknown);
}

TEST_F(ServingTest, NamesOfVllmSayTheBatch) {
  const ServingName mixed = read_serving_name("execute_context_2(700)_generation_5(5)");
  EXPECT_EQ(mixed.phase, ServingPhase::kMixed);
  EXPECT_EQ(mixed.tokens, 705u);
  EXPECT_EQ(read_serving_name("execute_context_0(0)_generation_5(5)").phase, ServingPhase::kDecode);
  EXPECT_EQ(read_serving_name("execute_new_1_cached_0").phase, ServingPhase::kPrefill);
  const ServingName decode = read_serving_name("execute_new_0_cached_12");
  EXPECT_EQ(decode.phase, ServingPhase::kDecode);
  EXPECT_EQ(decode.tokens, 12u);
  EXPECT_EQ(read_serving_name("execute_context_").phase, ServingPhase::kUnknown);
  EXPECT_EQ(read_serving_name("execute_new_1_cached_99999999999999999999").phase,
            ServingPhase::kUnknown);
}

TEST_F(ServingTest, ShapesSayTheTokens) {
  EXPECT_EQ(rows_of_first_input("8,4096;4096,12288"), 8u);
  EXPECT_EQ(rows_of_first_input("\"2,16,64;64,64\""), 32u);
  EXPECT_EQ(rows_of_first_input("64"), std::nullopt);
  EXPECT_EQ(rows_of_first_input(""), std::nullopt);
  EXPECT_EQ(rows_of_first_input("8,x"), std::nullopt);
  EXPECT_EQ(rows_of_first_input("0,4"), std::nullopt);
  EXPECT_EQ(tokens_of_query("8,32,512,128;8,32,512,128"), 4096u);  // B,N,S,D
  EXPECT_EQ(tokens_of_query("4096,32,128"), 4096u);                // T,N,D
  EXPECT_EQ(tokens_of_query("8,512,4096"), 4096u);                 // B,S,H
}

TEST_F(ServingTest, RangesAreIterationsWithTheirTasks) {
  op(0, 1000, "prefill");
  const std::uint32_t first = op(10, 20, "aten::mm");
  op(900, 950, "decode helper");  // Inside the prefill: part of it.
  op(1100, 1300, "decode", 3);
  const std::uint32_t second = op(1110, 1120, "aten::mm", 3);
  op(1400, 1700, "decode", 3);
  const std::uint32_t third = op(1410, 1420, "aten::mm", 3);
  kernel(1050, 1060, 1090, "MatMulV3", "512,64;64,64", first);  // Launched after the range.
  kernel(30, 50, 900, "MatMulV3", "512,64;64,64", first);
  kernel(1115, 1150, 1250, "MatMulV3", "4,64;64,64", second);
  kernel(1415, 1450, 1650, "MatMulV3", "4,64;64,64", third);
  const Serving result = analyzed();
  EXPECT_EQ(result.source, ServingSource::kRanges);
  ASSERT_EQ(result.iterations.size(), 3u);
  EXPECT_EQ(result.iterations[0].phase, ServingPhase::kPrefill);
  EXPECT_EQ(result.iterations[0].kernels, 2u);
  EXPECT_EQ(result.iterations[0].device_ns(), 1040 * kServingUs);
  EXPECT_EQ(result.iterations[0].device_busy_ns, 880 * kServingUs);
  EXPECT_EQ(result.iterations[0].tokens, 512u);
  EXPECT_EQ(result.iterations[1].tokens, 4u);
  EXPECT_EQ(time_to_first_token_ns(result), 1090 * kServingUs);
  const auto rows = summarize_serving(result);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].phase, ServingPhase::kDecode);
  EXPECT_EQ(rows[1].count, 2u);
  EXPECT_DOUBLE_EQ(rows[1].host_mean_ns, 250e3);
  EXPECT_EQ(rows[1].host_p50_ns, 200 * kServingUs);
  EXPECT_EQ(rows[1].host_p95_ns, 300 * kServingUs);
  EXPECT_DOUBLE_EQ(*rows[1].device_mean_ns, 150e3);
  EXPECT_EQ(rows[1].tokens, 8u);
  EXPECT_DOUBLE_EQ(*rows[1].tokens_per_second, 8 / 500e-6);
}

TEST_F(ServingTest, MarksServeWhereTheFrameworkHasNoRanges) {
  auto& marks = trace_->marks();
  trace::resize_rows(marks, 3);
  const std::vector<std::tuple<int, int, const char*>> rows = {
      {0, 100, "prefill"}, {50, 60, "prefill part"}, {200, 200, "decode"}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    marks.start_ns[i] = serving_us(std::get<0>(rows[i]));
    marks.end_ns[i] = serving_us(std::get<1>(rows[i]));
    marks.message[i] = trace_->strings.intern(std::get<2>(rows[i]));
  }
  kernel(20, 150, 190, "MatMulV3", "16,8;8,8");
  kernel(120, 200, 210, "MatMulV3", "16,8;8,8");  // Launched outside.
  const Serving result = analyzed();
  EXPECT_EQ(result.source, ServingSource::kMarks);
  ASSERT_EQ(result.iterations.size(), 1u);
  EXPECT_EQ(result.iterations[0].kernels, 1u);
  EXPECT_EQ(time_to_first_token_ns(result), 190 * kServingUs);
}

TEST_F(ServingTest, StepsAreToldApartByTheirTokens) {
  for (int i = 0; i < 4; ++i) {
    step(i, i * 100, i * 100 + 90);
    kernel(i * 100 + 5, i * 100 + 10, i * 100 + 50, "MatMulV3", i == 0 ? "900,8;8,8" : "16,8;8,8");
    kernel(i * 100 + 6, i * 100 + 50, i * 100 + 60, "FusedInferAttentionScore", "");
  }
  const Serving result = analyzed();
  EXPECT_EQ(result.source, ServingSource::kSteps);
  ASSERT_EQ(result.iterations.size(), 4u);
  EXPECT_EQ(result.iterations[0].phase, ServingPhase::kPrefill);
  EXPECT_EQ(result.iterations[1].phase, ServingPhase::kDecode);
  EXPECT_EQ(result.iterations[3].step, 3);
}

TEST_F(ServingTest, AttentionTellsMoreThanTokens) {
  ServingEvidence cached{.matmul_tokens = 900};
  cached.has_cached_attention = true;
  ServingEvidence both = cached;
  both.has_prompt_attention = true;
  ServingEvidence training{.matmul_tokens = 1};
  training.has_prompt_attention = true;
  training.has_gradients = true;
  const std::vector<ServingEvidence> evidence = {cached, both, training, {.matmul_tokens = 3}};
  EXPECT_EQ(phases_of(evidence), (std::vector{ServingPhase::kDecode, ServingPhase::kMixed,
                                              ServingPhase::kUnknown, ServingPhase::kDecode}));
}

TEST_F(ServingTest, ReplaysOfGraphsAreIterations) {
  auto& calls = trace_->api_calls();
  trace::resize_rows(calls, 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    calls.start_ns[i] = serving_us(i * 100);
    calls.end_ns[i] = serving_us(i * 100 + 5);
    for (int part = 0; part < 2; ++part) {
      const std::uint32_t task =
          kernel(i * 100, i * 100 + 10 + part * 10, i * 100 + 20 + part * 10,
                 part == 0 ? "MatMulV3" : "IncreFlashAttention", part == 0 ? "6,8;8,8" : "");
      trace_->tasks().model_id[task] = 5;
      trace_->tasks().api[task] = i;
    }
  }
  const Serving result = analyzed();
  EXPECT_EQ(result.source, ServingSource::kReplays);
  ASSERT_EQ(result.iterations.size(), 2u);
  EXPECT_EQ(result.iterations[1].phase, ServingPhase::kDecode);
  EXPECT_EQ(result.iterations[1].device_ns(), 20 * kServingUs);
  EXPECT_EQ(result.iterations[1].tokens, 6u);
}

TEST_F(ServingTest, TrainingIsNotServing) {
  step(1, 0, 90);
  kernel(5, 10, 50, "FlashAttentionScore", "");
  kernel(6, 50, 60, "FlashAttentionScoreGrad", "");
  EXPECT_EQ(analyzed().source, ServingSource::kNothing);
}

TEST_F(ServingTest, ChosenIterationsKeepTheirNumbers) {
  for (int i = 0; i < 5; ++i) op(i * 100, i * 100 + 50, "decode");
  link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
  const Serving result = serving(*trace_, std::pair{2u, 3u});
  ASSERT_EQ(result.iterations.size(), 2u);
  EXPECT_EQ(result.iterations[0].number, 2u);
  EXPECT_EQ(summarize_serving(result)[0].device_mean_ns, std::nullopt);
  EXPECT_EQ(summarize_serving(result)[0].tokens_per_second, std::nullopt);
}

}  // namespace
}  // namespace npuprof::analyze
