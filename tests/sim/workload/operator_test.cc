#include "sim/workload/operator.h"

#include <vector>

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

const ChipSpec& tested_chip() { return **find_chip("Ascend910B3"); }

std::vector<Operator> all_operators() {
  const OperatorCatalogue make(tested_chip());
  const Shape shape{64, 4096};
  return {make.matmul(64, 128, 256),
          make.matmul(64, 128, 256, 8),
          make.linear(64, 128, 256),
          make.rms_norm(64, 4096),
          make.rms_norm(64, 4096, true),
          make.add(shape),
          make.multiply(shape),
          make.clamp(shape),
          make.swiglu(64, 4096),
          make.swiglu(64, 4096, true),
          make.rotary(shape),
          make.rotary(shape, true),
          make.cast(shape, ElementType::kFloat32),
          make.fill(shape),
          make.sum(shape),
          make.embedding(32000, 64, 4096),
          make.embedding(32000, 64, 4096, true),
          make.cross_entropy(64, 32000),
          make.cross_entropy(64, 32000, true),
          make.mse_loss(shape),
          make.mse_loss(shape, true),
          make.attention(1, 32, 1024, 128, true),
          make.attention(1, 32, 1024, 128, true, true),
          make.cached_attention(8, 32, 2048, 128),
          make.gating(64, 16, 2),
          make.permute_tokens(128, 4096),
          make.permute_tokens(128, 4096, true),
          make.grouped_matmul(128, 4096, 1024, 4),
          make.random(shape),
          make.sgd(1 << 20),
          make.adamw(1 << 20),
          make.gradient_norm(1 << 20)};
}

TEST(OperatorCatalogue, EveryOperatorCanBeRecordedAndTimed) {
  for (const Operator& op : all_operators()) {
    ASSERT_FALSE(op.names.empty());
    SCOPED_TRACE(op.names.front());
    EXPECT_TRUE(op.call.starts_with("aclnn"));
    EXPECT_TRUE(!op.inputs.empty() || op.parameter_lists > 0);
    ASSERT_FALSE(op.kernels.empty());
    for (const KernelDesc& kernel : op.kernels) {
      EXPECT_TRUE(kernel.name.starts_with(op.call + "_")) << kernel.name;
      EXPECT_GE(kernel.block_count, 1u);
      EXPECT_FALSE(kernel.tensors.empty());
      const KernelEstimate time = estimate(tested_chip(), tested_chip().aic_mhz, kernel);
      EXPECT_GT(time.duration_ns(), 0);
      EXPECT_LT(time.duration_ns(), 1e9);
    }
  }
}

TEST(OperatorCatalogue, CountsTheWorkOfProducts) {
  const OperatorCatalogue make(tested_chip());
  EXPECT_EQ(make.matmul(2, 3, 5).kernels.front().cube_flops, 2.0 * 2 * 3 * 5);
  EXPECT_EQ(make.matmul(2, 3, 5, 7).kernels.front().cube_flops, 2.0 * 2 * 3 * 5 * 7);
  const double full = make.attention(1, 4, 128, 64, false).kernels.front().cube_flops;
  EXPECT_EQ(full, 2.0 * 2 * 4 * 128 * 128 * 64);
  EXPECT_EQ(make.attention(1, 4, 128, 64, true).kernels.front().cube_flops, full / 2);
}

TEST(OperatorCatalogue, MoreWorkTakesLonger) {
  const OperatorCatalogue make(tested_chip());
  const auto time = [&](const Operator& op) {
    return estimate(tested_chip(), tested_chip().aic_mhz, op.kernels.front()).duration_ns();
  };
  EXPECT_LT(time(make.matmul(512, 512, 512)), time(make.matmul(4096, 4096, 4096)));
  EXPECT_LT(time(make.add({64, 64})), time(make.add({8192, 8192})));
  EXPECT_LT(time(make.attention(1, 32, 1024, 128, true)),
            time(make.attention(1, 32, 8192, 128, true)));
}

}  // namespace
}  // namespace npuprof::sim
