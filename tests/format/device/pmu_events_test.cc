#include "format/device/pmu_events.h"

#include <gtest/gtest.h>

namespace npuprof::format::device {
namespace {

TEST(PmuEvents, WritesTheListsOfA910B) {
  EXPECT_EQ(format_event_list(pmu_events(PmuGroup::kPipeUtilizationExact, ChipId::k910B)),
            "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55");
  EXPECT_EQ(format_event_list(pmu_events(PmuGroup::kPipeUtilization, ChipId::k910B)),
            "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55");
  EXPECT_EQ(cube_core_group(PmuGroup::kPipeUtilization, ChipId::k910B),
            PmuGroup::kPipeUtilizationExact);
  EXPECT_EQ(cube_core_group(PmuGroup::kMemory, ChipId::k910B), PmuGroup::kMemory);
  EXPECT_EQ(cube_core_group(PmuGroup::kPipeUtilization, ChipId::k910_95),
            PmuGroup::kPipeUtilization);
}

TEST(PmuEvents, DiffersByChip) {
  EXPECT_EQ(format_event_list(pmu_events(PmuGroup::kMemoryUb, ChipId::k310B)),
            "0x37,0x38,0x1a5,0x1a6,0x17f,0x180,0x191");
  EXPECT_EQ(pmu_events(PmuGroup::kPipeUtilization, ChipId::k910_95).size(), 9u);
  EXPECT_EQ(pmu_events(PmuGroup::kPipeUtilization, ChipId::kNano).size(), 10u);
  EXPECT_TRUE(pmu_events(PmuGroup::kL2Cache, ChipId::k910A).empty());
  EXPECT_TRUE(pmu_events(PmuGroup::kMemoryAccess, ChipId::k910_95).empty());
  EXPECT_TRUE(pmu_events(PmuGroup::kCustom, ChipId::k910B).empty());
}

TEST(PmuEvents, ListsNeverExceedARecord) {
  for (const Chip& chip : all_chips()) {
    for (int group = 0; group <= static_cast<int>(PmuGroup::kCustom); ++group) {
      const auto events = pmu_events(static_cast<PmuGroup>(group), chip.id);
      EXPECT_LE(events.size(),
                chip.family == ChipFamily::kNano ? 10 : counters_per_record(chip.id));
      const auto parsed = parse_event_list(format_event_list(events));
      ASSERT_TRUE(parsed.ok());
      EXPECT_TRUE(std::equal(events.begin(), events.end(), parsed->begin(), parsed->end()));
    }
  }
}

TEST(PmuEvents, FindsGroupsByName) {
  for (int group = 0; group <= static_cast<int>(PmuGroup::kCustom); ++group) {
    EXPECT_EQ(find_pmu_group(pmu_group_name(static_cast<PmuGroup>(group))),
              static_cast<PmuGroup>(group));
  }
  EXPECT_EQ(pmu_group_name(PmuGroup::kPipeUtilizationExact), "PipeUtilizationExct");
  EXPECT_EQ(find_pmu_group("Custom:0x1"), PmuGroup::kCustom);
  EXPECT_EQ(find_pmu_group("PipeUtilisation"), std::nullopt);
}

TEST(PmuEvents, ReadsListsAsPeopleWriteThem) {
  EXPECT_EQ(parse_event_list(" 0x8, 0XA ,9 ").value(), (std::vector<std::uint16_t>{8, 10, 9}));
  EXPECT_TRUE(parse_event_list("").value().empty());
  EXPECT_EQ(parse_custom_group("Custom:0x12,0x1ff").value(),
            (std::vector<std::uint16_t>{0x12, 0x1ff}));
}

TEST(PmuEvents, RefusesWhatIsNoList) {
  for (const char* text : {"0x", "0x8,,0x9", "zzz", "0x12345", "0x8 0x9", "-1", "0x8;0x9"}) {
    EXPECT_FALSE(parse_event_list(text).ok()) << text;
  }
  EXPECT_FALSE(parse_event_list("1,2,3,4,5,6,7,8,9,a,b").ok());
  EXPECT_FALSE(parse_custom_group("0x12").ok());
}

}  // namespace
}  // namespace npuprof::format::device
