#include "sim/model/chip.h"

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

TEST(Chip, IsFoundByNameInAnyCaseWithOrWithoutPrefix) {
  for (const char* name : {"Ascend910B3", "910b3", "ASCEND910B3"}) {
    const auto chip = find_chip(name);
    ASSERT_TRUE(chip.ok()) << name;
    EXPECT_EQ((*chip)->name, "Ascend910B3");
  }
  const auto unknown = find_chip("910Z");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("Ascend910_95"), std::string::npos);
}

TEST(Chip, PeaksHaveThePublishedOrderOfMagnitude) {
  for (const std::string_view name : chip_names()) {
    const ChipSpec& chip = **find_chip(name);
    const double peak = chip.peak_cube_flops(ElementType::kFloat16, chip.aic_mhz) / 1e12;
    EXPECT_GT(peak, 250) << name;
    EXPECT_LT(peak, 550) << name;
    EXPECT_DOUBLE_EQ(chip.peak_cube_flops(ElementType::kInt8, 1000),
                     2 * chip.peak_cube_flops(ElementType::kFloat16, 1000));
    EXPECT_LT(chip.peak_vector_operations(ElementType::kFloat32, chip.aic_mhz),
              chip.peak_cube_flops(ElementType::kFloat32, chip.aic_mhz));
    EXPECT_EQ(chip.vector_core_count, 2 * chip.ai_core_count);
    for (const LinkSpec& link : chip.links) EXPECT_GT(link.gb_per_s, 0) << name;
  }
  const ChipSpec& newest = **find_chip("910_95");
  EXPECT_TRUE(newest.is_v6());
  EXPECT_NEAR(newest.peak_cube_flops(ElementType::kFloat8E4m3, newest.aic_mhz) / 1e15, 1.0, 0.05);
}

}  // namespace
}  // namespace npuprof::sim
