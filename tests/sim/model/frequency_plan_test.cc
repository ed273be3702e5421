#include "sim/model/frequency_plan.h"

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

TEST(FrequencyPlan, IsConstantWithoutFaults) {
  const FrequencyPlan plan(1800, {});
  EXPECT_EQ(plan.entries().size(), 1u);
  EXPECT_EQ(plan.mhz_at(0), 1800u);
  EXPECT_EQ(plan.mhz_at(1'000'000'000), 1800u);
}

TEST(FrequencyPlan, TheLowestOfOverlappingDropsHolds) {
  const FrequencyDrop drops[] = {
      {1000, 1000, 1200}, {1500, 200, 800}, {5000, 10, 1800}, {6000, 10, 0}};
  const FrequencyPlan plan(1800, drops);
  EXPECT_EQ(plan.mhz_at(999), 1800u);
  EXPECT_EQ(plan.mhz_at(1000), 1200u);
  EXPECT_EQ(plan.mhz_at(1500), 800u);
  EXPECT_EQ(plan.mhz_at(1699), 800u);
  EXPECT_EQ(plan.mhz_at(1700), 1200u);
  EXPECT_EQ(plan.mhz_at(2000), 1800u);
  EXPECT_EQ(plan.entries().size(), 5u);
  for (const FrequencyEntry& entry : plan.entries()) EXPECT_GT(entry.mhz, 0u);
}

}  // namespace
}  // namespace npuprof::sim
