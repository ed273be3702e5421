#include "analyze/profile_difference.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analyze/kernel_class.h"
#include "analyze/step_significance.h"

namespace npuprof::analyze {
namespace {

PartSeries series(std::string key, std::vector<std::int64_t> ns, std::string detail = "") {
  PartSeries part;
  part.key = std::move(key);
  part.detail = std::move(detail);
  part.counts.assign(ns.size(), 1);
  part.ns = std::move(ns);
  return part;
}

TEST(StudentsDistribution, HasTheKnownQuantiles) {
  EXPECT_NEAR(student_two_sided(12.706, 1), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided(2.776, 4), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided(2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided(3.169, 10), 0.01, 1e-4);
  EXPECT_NEAR(student_two_sided(1.96, 1e6), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(student_two_sided(0, 5), 1);
}

// Of a textbook: two samples of four, t = 2.0, about 6 degrees.
TEST(StepComparison, IsWelchsTestOfFewSteps) {
  const double base[] = {10, 12, 14, 16};
  const double other[] = {14, 16, 18, 20};
  const StepComparison result = compare_steps(base, other);
  EXPECT_TRUE(result.is_tested);
  EXPECT_DOUBLE_EQ(result.base_mean, 13);
  EXPECT_DOUBLE_EQ(result.other_mean, 17);
  const double t = 4 / std::sqrt(2 * (20.0 / 3) / 4);
  EXPECT_NEAR(result.chance, student_two_sided(t, 6), 1e-12);
}

TEST(StepComparison, OneOddStepOfManyDoesNotCount) {
  const double base[] = {500, 10, 11, 10, 11, 10};
  const double other[] = {10, 11, 10, 11, 10, 11};
  const StepComparison result = compare_steps(base, other);
  EXPECT_NEAR(result.change(), 0, 0.05);
  EXPECT_GT(result.chance, 0.05);
}

TEST(StepComparison, ValuesWithoutVariationAreSameOrDifferent) {
  const double base[] = {10, 10, 10};
  const double other[] = {11, 11, 11};
  EXPECT_EQ(compare_steps(base, other).chance, 0);
  EXPECT_EQ(compare_steps(base, base).chance, 1);
}

TEST(StepComparison, TwoStepsAreTooFew) {
  const double base[] = {10, 10};
  const double other[] = {11, 11, 11};
  EXPECT_FALSE(compare_steps(base, other).is_tested);
  EXPECT_TRUE(std::isnan(compare_steps(base, other).chance));
  EXPECT_FALSE(compare_steps({}, {}).is_tested);
}

TEST(PartAlignment, PutsPartsOfOneKeySideBySideLargestDifferenceFirst) {
  const auto parts = align_parts(
      {series("A", {10, 10, 10}), series("B", {5, 5, 5}, "2,2")},
      {series("B", {50, 50, 50}, "2,2"), series("A", {12, 12, 12}), series("B", {1, 1, 1}, "4,4")});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].key, "B");
  EXPECT_EQ(parts[0].detail, "2,2");
  EXPECT_DOUBLE_EQ(parts[0].difference_ns(), 45);
  EXPECT_DOUBLE_EQ(parts[0].ratio(), 10);
  EXPECT_EQ(parts[0].base.count, 3u);
  EXPECT_EQ(parts[0].other.total_ns, 150);
  EXPECT_EQ(verdict_of(parts[0]), Verdict::kSlower);
  EXPECT_EQ(parts[1].key, "A");
  EXPECT_EQ(parts[2].detail, "4,4");
  EXPECT_FALSE(parts[2].base.is_there);
  EXPECT_TRUE(std::isinf(parts[2].ratio()));
  EXPECT_EQ(verdict_of(parts[2]), Verdict::kOnlyOther);
}

TEST(PartAlignment, ComparesStepsOfDifferentNumber) {
  const auto parts =
      align_parts({series("A", {10, 11, 9, 10})}, {series("A", {10, 9, 11, 10, 10, 11})});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(verdict_of(parts[0]), Verdict::kSame);
}

TEST(PartAlignment, FewStepsAreJudgedByAThreshold) {
  const auto change = [](std::int64_t ns) {
    return verdict_of(align_parts({series("A", {100})}, {series("A", {ns})}).front());
  };
  EXPECT_EQ(change(104), Verdict::kSame);
  EXPECT_EQ(change(105), Verdict::kSlower);
  EXPECT_EQ(change(90), Verdict::kFaster);
  EXPECT_EQ(change(0), Verdict::kOnlyBase);
}

TEST(ProfileDifference, TellsWhichKernelsMakeTheDifferenceOfAnOperator) {
  ProfileParts base;
  base.steps = {1, 2, 3};
  base.kernels = {series("MatMul", {10, 10, 10}), series("Add", {5, 5, 5})};
  base.operators = {series("aten::linear", {15, 15, 15})};
  base.operator_kernels = {{.part = 0, .kernel = 0, .count = 3, .ns = 30},
                           {.part = 0, .kernel = 1, .count = 3, .ns = 15}};
  ProfileParts other = base;
  other.kernels = {series("Add", {6, 6, 6}), series("MatMul", {30, 30, 30})};
  other.operators = {series("aten::linear", {36, 36, 36})};
  other.operator_kernels = {{.part = 0, .kernel = 0, .count = 3, .ns = 18},
                            {.part = 0, .kernel = 1, .count = 3, .ns = 90}};
  const ProfileDifference difference = profile_difference(base, other);
  EXPECT_TRUE(difference.is_tested);
  EXPECT_FALSE(difference.is_across_devices);
  ASSERT_EQ(difference.operators.size(), 1u);
  const auto& reasons = difference.operators[0].reasons;
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].kernel, "MatMul");
  EXPECT_DOUBLE_EQ(reasons[0].difference_ns(), 20);
  EXPECT_EQ(reasons[1].kernel, "Add");
  EXPECT_DOUBLE_EQ(reasons[1].difference_ns(), 1);
}

TEST(KernelClass, IsTheSameForKernelsOfDifferentDevices) {
  EXPECT_EQ(kernel_class("MatMulV3", ""), KernelClass::kMatmul);
  EXPECT_EQ(kernel_class("ampere_sgemm_128x64_tn", ""), KernelClass::kMatmul);
  EXPECT_EQ(kernel_class("FlashAttentionScoreGrad", ""), KernelClass::kAttention);
  EXPECT_EQ(kernel_class("pytorch_flash::flash_fwd_kernel", ""), KernelClass::kAttention);
  EXPECT_EQ(kernel_class("Conv2D", ""), KernelClass::kConvolution);
  EXPECT_EQ(kernel_class("Add", ""), KernelClass::kVector);
  EXPECT_EQ(kernel_class("at::native::vectorized_elementwise_kernel", ""), KernelClass::kVector);
  EXPECT_EQ(kernel_class("ncclDevKernel_AllReduce_Sum_f32", ""), KernelClass::kCommunication);
  EXPECT_EQ(kernel_class("Memcpy HtoD", ""), KernelClass::kCopy);
}

TEST(ComputePart, FollowsOperatorsFirstAndKernelsThen) {
  EXPECT_EQ(compute_part("Mul", "aten::matmul", CoreUse::kVector), ComputePart::kMatmul);
  EXPECT_EQ(compute_part("FlashAttentionScore", "", CoreUse::kCube),
            ComputePart::kAttentionForward);
  EXPECT_EQ(compute_part("FlashAttentionScoreGrad", "", CoreUse::kCube),
            ComputePart::kAttentionBackward);
  EXPECT_EQ(compute_part("MatmulAllReduce", "", CoreUse::kCube), ComputePart::kFusedCommunication);
  EXPECT_EQ(compute_part("Transpose", "", CoreUse::kVector), ComputePart::kTransformVector);
  EXPECT_EQ(compute_part("Add", "", CoreUse::kVector), ComputePart::kOtherVector);
  EXPECT_EQ(compute_part("Something", "", CoreUse::kCube), ComputePart::kOtherCube);
  EXPECT_EQ(compute_part("Unique", "", CoreUse::kUnknown), ComputePart::kOther);
}

}  // namespace
}  // namespace npuprof::analyze
