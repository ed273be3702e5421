#include "cann/switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npuprof/cann_abi.h"

namespace npuprof::cann {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::vector<std::string> kAllFeatures = {"ATTR", "AICORE_SHAPE", "MemoryAccess"};

std::uint64_t bits(const CollectionOptions& options,
                   const std::vector<std::string>& features = kAllFeatures) {
  return make_switches(options, features).bits;
}

TEST(Switches, Levels) {
  EXPECT_EQ(bits({.profiler_level = "Level_none"}), 0u);
  EXPECT_EQ(bits({.profiler_level = "Level0"}), 0x801u);
  EXPECT_EQ(bits({.profiler_level = "Level1"}), 0x27u);
  EXPECT_EQ(bits({.profiler_level = "Level2"}), 0x12Fu);
  EXPECT_EQ(make_switches({}, {}).metrics, 0xFF);
}

TEST(Switches, OptionsAddBits) {
  EXPECT_EQ(bits({.l2_cache = true}), 0x801u | 0x10);
  EXPECT_EQ(bits({.profiler_level = "Level_none", .mstx = true}), 0x80u);
  EXPECT_EQ(bits({.op_attr = true}), 0x801u | 0x4000);
  EXPECT_EQ(bits({.op_attr = true}, {}), 0x801u);
  EXPECT_EQ(bits({.record_shapes = true}), 0x801u | 0x800000000);
  EXPECT_EQ(bits({.record_shapes = true}, {"ATTR"}), 0x801u);
  // From Level1 on shapes are there anyway.
  EXPECT_EQ(bits({.profiler_level = "Level1", .record_shapes = true}), 0x27u);
}

TEST(Switches, Metrics) {
  const auto number = [](const char* level, const char* name,
                         const std::vector<std::string>& features) {
    return make_switches({.profiler_level = level, .aic_metrics = name}, features).metrics;
  };
  EXPECT_EQ(number("Level1", "ACL_AICORE_ARITHMETIC_UTILIZATION", {}), 0);
  EXPECT_EQ(number("Level1", "ACL_AICORE_PIPE_UTILIZATION", {}), 1);
  EXPECT_EQ(number("Level1", "ACL_AICORE_MEMORY_BANDWIDTH", {}), 2);
  EXPECT_EQ(number("Level1", "ACL_AICORE_L0B_AND_WIDTH", {}), 3);
  EXPECT_EQ(number("Level1", "ACL_AICORE_RESOURCE_CONFLICT_RATIO", {}), 4);
  EXPECT_EQ(number("Level1", "ACL_AICORE_MEMORY_UB", {}), 5);
  EXPECT_EQ(number("Level1", "ACL_AICORE_L2_CACHE", {}), 6);
  EXPECT_EQ(number("Level1", "ACL_AICORE_MEMORY_ACCESS", kAllFeatures), 8);
  EXPECT_EQ(number("Level1", "ACL_AICORE_NONE", {}), 0xFF);
  EXPECT_EQ(number("Level1", "nonsense", {}), 0xFF);
  // An older CANN cannot count memory accesses.
  EXPECT_EQ(number("Level2", "ACL_AICORE_MEMORY_ACCESS", {}), 1);
  EXPECT_EQ(number("Level0", "ACL_AICORE_MEMORY_ACCESS", {}), 0xFF);
  EXPECT_EQ(bits({.aic_metrics = "ACL_AICORE_L2_CACHE"}), 0x801u | 0x4);
}

TEST(Switches, Settings) {
  EXPECT_THAT(make_switches({}, {}).settings, IsEmpty());
  const CollectionOptions options{
      .profile_memory = true, .sys_io = true, .sys_interconnection = true};
  EXPECT_THAT(make_switches(options, {}).settings,
              ElementsAre(Pair(3, "50"), Pair(5, "100"), Pair(6, "50")));
  EXPECT_EQ(bits(options), 0x801u | 0x1000);
}

TEST(Switches, WhatIsNotSimulatedIsNamed) {
  const std::vector<std::string> host_sys = {"cpu", "osrt"};
  EXPECT_THAT(not_simulated({.settings = {{7, "50"}, {5, "100"}, {11, "10"}}}, host_sys),
              ElementsAre("dvpp_freq", "sys_lp_freq", "host_sys osrt"));
  EXPECT_THAT(not_simulated(make_switches({.sys_io = true}, {}), {}), IsEmpty());
}

}  // namespace
}  // namespace npuprof::cann
