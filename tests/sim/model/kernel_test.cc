#include "sim/model/kernel.h"

#include <gtest/gtest.h>

#include "sim/model/sample_kernels.h"
#include "sim/simulated.h"

namespace npuprof::sim {
namespace {

using testing::chip;
double duration_ns(const KernelDesc& kernel) {
  return estimate(chip(), chip().aic_mhz, kernel).duration_ns();
}

TEST(KernelEstimate, GrowsWithWorkAndTraffic) {
  double previous = 0;
  for (const double size : {256.0, 512.0, 1024.0, 4096.0, 8192.0}) {
    const double now = duration_ns(testing::matmul(size, size, size));
    EXPECT_GT(now, previous);
    previous = now;
  }
  previous = 0;
  for (const double elements : {1e3, 1e5, 1e6, 1e8}) {
    const double now = duration_ns(testing::elementwise(elements));
    EXPECT_GT(now, previous);
    previous = now;
  }
}

TEST(KernelEstimate, IsNeverBelowTheRoofline) {
  for (const KernelDesc& kernel : testing::all_core_kernels()) {
    const KernelEstimate result = estimate(chip(), chip().aic_mhz, kernel);
    const double peak = chip().peak_cube_flops(kernel.type_of_math, chip().aic_mhz);
    EXPECT_GE(result.busy_ns, kernel.cube_flops / peak * 1e9) << kernel.name;
    EXPECT_GE(result.busy_ns,
              (result.hbm_read_bytes + result.hbm_write_bytes) / chip().hbm_gb_per_s);
    EXPECT_GT(result.overhead_ns, 0);
  }
}

TEST(KernelEstimate, ALargeMatrixProductIsBoundByTheCube) {
  const KernelEstimate result = estimate(chip(), 1800, testing::matmul(8192, 8192, 8192));
  EXPECT_GT(result.compute_ns, result.memory_ns);
  EXPECT_GT(result.cube_core.mac, 0.75);
  EXPECT_EQ(result.vector_core.vector, 0);
  // 1.1 TFLOP at 80 % of 295 TFLOPS.
  EXPECT_NEAR(result.busy_ns / 1e6, 4.66, 0.1);
}

TEST(KernelEstimate, AnElementwiseKernelIsBoundByMemory) {
  const KernelEstimate result = estimate(chip(), 1800, testing::elementwise(1e8));
  EXPECT_GT(result.memory_ns, result.compute_ns);
  EXPECT_GT(result.vector_core.mte2, result.vector_core.vector);
  EXPECT_EQ(result.cube_core.mac, 0);
}

TEST(KernelEstimate, SlowerClockMakesComputeSlower) {
  const KernelDesc kernel = testing::matmul(4096, 4096, 4096);
  EXPECT_GT(estimate(chip(), 900, kernel).busy_ns, 1.8 * estimate(chip(), 1800, kernel).busy_ns);
}

TEST(KernelEstimate, FewBlocksUseFewCores) {
  KernelDesc kernel = testing::matmul(4096, 4096, 4096);
  const double full = duration_ns(kernel);
  kernel.block_count = 5;
  EXPECT_GT(duration_ns(kernel), 3.5 * full);
  kernel.block_count = 21;  // A second wave for one block.
  EXPECT_GT(duration_ns(kernel), 1.5 * full);
}

TEST(KernelEstimate, AiCpuKernelsAreSlow) {
  KernelDesc kernel = testing::elementwise(1e6);
  const double on_vector_cores = duration_ns(kernel);
  kernel.kind = KernelCore::kAicpu;
  EXPECT_GT(duration_ns(kernel), 10 * on_vector_cores);
}

}  // namespace
}  // namespace npuprof::sim
