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

TEST(Chips, DatabasesHaveNamesForSome) {
  EXPECT_EQ(find_chip_of_database("Ascend910B"), &chip_of(ChipId::k910B));
  EXPECT_EQ(find_chip_of_database("Ascend950"), &chip_of(ChipId::k910_95));
  EXPECT_EQ(find_chip_of_database("UNKNOWN"), nullptr);
  EXPECT_EQ(find_chip_of_database(""), nullptr) << "chips without a name are not this one";
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

TEST(Chips, OldDriversAndSomeChipsWriteNoFlips) {
  EXPECT_TRUE(writes_flips(ChipId::k910B, 0x072211));
  EXPECT_FALSE(writes_flips(ChipId::k910B, 0x072210));
  for (const ChipId chip : {ChipId::k310, ChipId::k610, ChipId::kMdcMiniV3, ChipId::k910_95}) {
    EXPECT_FALSE(writes_flips(chip, 0x072220));
  }
  EXPECT_TRUE(writes_flips(std::int64_t{99}, 0x072220)) << "a chip that is not known";
}

TEST(Chips, WideTaskIdsComeWithoutContexts) {
  EXPECT_TRUE(has_wide_task_ids(std::int64_t{15}));
  EXPECT_FALSE(has_contexts(std::int64_t{16}));
  EXPECT_FALSE(has_wide_task_ids(std::int64_t{5}));
  EXPECT_TRUE(has_contexts(std::int64_t{5}));
  EXPECT_FALSE(has_wide_task_ids(std::int64_t{99}));
}

}  // namespace
}  // namespace npuprof::format::device
