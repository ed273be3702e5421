#include "format/device/task_types.h"

#include <gtest/gtest.h>

namespace npuprof::format::device {
namespace {

std::string_view sqe_name(ChipFamily family, std::uint8_t type) {
  const auto kind = sqe_kind_of(family, type);
  return kind ? sqe_kind_name(*kind) : "";
}

TEST(TaskTypes, NamesTheSameNumberPerFamily) {
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 0), "AI_CORE");
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 1), "AI_CPU");
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 9), "VQ6_SQE");
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 17), "PCIE_DMA_SQE");
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 20), "C_CORE_SQE");
  EXPECT_EQ(sqe_name(ChipFamily::kStarsV6, 1), "AIV_SQE");
  EXPECT_EQ(sqe_name(ChipFamily::kStarsV6, 5), "AICPU_D");
  EXPECT_EQ(sqe_name(ChipFamily::kStarsV6, 20), "CONDITION_SQE");
  EXPECT_EQ(sqe_name(ChipFamily::kHwts, 9), "SDMA_SQE");
  EXPECT_EQ(sqe_name(ChipFamily::kHwts, 10), "MAX_SQE");
}

TEST(TaskTypes, KnowsOnlyNumbersInUse) {
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 21), "");
  EXPECT_EQ(sqe_name(ChipFamily::kStars, 255), "");
  EXPECT_EQ(sqe_name(ChipFamily::kStarsV6, 17), "");
  EXPECT_EQ(sqe_name(ChipFamily::kHwts, 11), "");
  EXPECT_EQ(sqe_name(ChipFamily::kNano, 0), "");
}

TEST(TaskTypes, NumbersLeadBackToTheirKind) {
  for (const ChipFamily family : {ChipFamily::kStars, ChipFamily::kStarsV6, ChipFamily::kHwts}) {
    int known = 0;
    for (unsigned type = 0; type < 256; ++type) {
      const auto kind = sqe_kind_of(family, static_cast<std::uint8_t>(type));
      if (!kind) continue;
      ++known;
      EXPECT_EQ(sqe_type_of(family, *kind), type);
    }
    EXPECT_GT(known, 10);
  }
  EXPECT_EQ(sqe_type_of(ChipFamily::kStars, SqeKind::kCcu), std::nullopt);
}

TEST(TaskTypes, NamesSubTasks) {
  EXPECT_EQ(sub_task_type_name(0), "AIC");
  EXPECT_EQ(sub_task_type_name(2), "");
  EXPECT_EQ(sub_task_type_name(15), "DSA");
}

}  // namespace
}  // namespace npuprof::format::device
