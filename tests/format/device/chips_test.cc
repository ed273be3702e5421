#include "format/device/chips.h"

#include <gtest/gtest.h>

namespace npuprof::format::device {
namespace {

TEST(Chips, FindsEveryChipByItsPlatformVersion) {
  for (const Chip& chip : all_chips()) {
    const Chip* found = find_chip(static_cast<std::int64_t>(chip.id));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->id, chip.id);
    EXPECT_EQ(&chip_of(chip.id), found);
  }
}

TEST(Chips, DoesNotKnowOtherNumbers) {
  for (const std::int64_t number : {-1, 6, 10, 12, 13, 17, 261}) {
    EXPECT_EQ(find_chip(number), nullptr) << number;
  }
}

TEST(Chips, TellsFamiliesAndDefaults) {
  EXPECT_EQ(family_of(ChipId::k310), ChipFamily::kTs);
  EXPECT_EQ(family_of(ChipId::k310P), ChipFamily::kHwts);
  EXPECT_EQ(family_of(ChipId::k910B), ChipFamily::kStars);
  EXPECT_EQ(family_of(ChipId::kMdcMiniV3), ChipFamily::kStars);
  EXPECT_EQ(family_of(ChipId::kNano), ChipFamily::kNano);
  EXPECT_EQ(family_of(ChipId::k910_96), ChipFamily::kStarsV6);
  EXPECT_DOUBLE_EQ(chip_of(ChipId::k910B).system_counter_mhz, 50);
  EXPECT_EQ(chip_of(ChipId::k910_96).ai_core_mhz, 1650u);
  EXPECT_EQ(counters_per_record(ChipId::k910B), 8u);
  EXPECT_EQ(counters_per_record(ChipId::k910_95), 10u);
}

}  // namespace
}  // namespace npuprof::format::device
