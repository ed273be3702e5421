#include "format/device/pmu_metrics.h"

#include <map>

#include <gtest/gtest.h>

namespace npuprof::format::device {
namespace {

std::map<std::string, double> evaluate(PmuGroup group, ChipId chip, std::vector<U64> counters,
                                       std::uint64_t cycles, double mhz) {
  const PmuEvaluator evaluator(group, chip, pmu_events(group, chip));
  std::vector<double> values(evaluator.columns().size());
  evaluator.evaluate(counters, cycles, mhz, values);
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < values.size(); ++i) named[evaluator.columns()[i].name] = values[i];
  return named;
}

TEST(PmuMetrics, ComputesTheShareOfEachPipe) {
  const auto values = evaluate(PmuGroup::kPipeUtilizationExact, ChipId::k910B,
                               {100, 200, 300, 400, 500, 600, 1000, 10}, 43200, 1650);
  EXPECT_NEAR(values.at("mac"), 0.006944, 1e-6);
  EXPECT_NEAR(values.at("scalar"), 0.006944, 1e-6);
  EXPECT_NEAR(values.at("mte1"), 0.009259, 1e-6);
  EXPECT_NEAR(values.at("mte2"), 0.011574, 1e-6);
  EXPECT_NEAR(values.at("fixpipe"), 0.013889, 1e-6);
  EXPECT_DOUBLE_EQ(values.at("icache_miss_rate"), 0.01);
}

TEST(PmuMetrics, ComputesTheTimeOfAllRounds) {
  // 30 blocks on 24 cores take two rounds.
  EXPECT_NEAR(total_time_us(43200, 1650, 30, 24), 1.745, 5e-4);
  EXPECT_DOUBLE_EQ(total_time_us(43200, 1000, 24, 24), 1.8);
  EXPECT_EQ(total_time_us(0, 1650, 30, 24), 0);
  EXPECT_EQ(total_time_us(43200, 0, 30, 24), 0);
  EXPECT_EQ(total_time_us(43200, 1650, 0, 24), 0);
  EXPECT_EQ(total_time_us(43200, 1650, 30, 0), 0);
}

TEST(PmuMetrics, ComputesBandwidths) {
  // One event of 1024 bits per cycle at 2^30 Hz is 128 GB/s.
  const double mhz = 1073741824 / 1e6;
  const auto values =
      evaluate(PmuGroup::kMemory, ChipId::k910B, {50, 50, 50, 50, 50, 50, 50, 50}, 50, mhz);
  EXPECT_DOUBLE_EQ(values.at("ub_read_bw"), 128);
  EXPECT_DOUBLE_EQ(values.at("l1_read_bw"), 512);
  EXPECT_DOUBLE_EQ(values.at("l1_write_bw"), 128);
  EXPECT_DOUBLE_EQ(values.at("l2_write_bw"), 256);
  EXPECT_DOUBLE_EQ(values.at("main_mem_read_bw"), 8);
}

TEST(PmuMetrics, AddsAndSubtractsCounters) {
  const auto values = evaluate(PmuGroup::kMemoryAccess, ChipId::k910B,
                               {1000, 80, 160, 200, 600, 24, 8, 16}, 1, 1000);
  EXPECT_DOUBLE_EQ(values.at("read_main_memory_datas"), 3);
  EXPECT_DOUBLE_EQ(values.at("write_main_memory_datas"), 3);
  EXPECT_DOUBLE_EQ(values.at("GM_to_L1_datas"), 200);
  EXPECT_DOUBLE_EQ(values.at("L0C_to_L1_datas"), 25);
  EXPECT_DOUBLE_EQ(values.at("L0C_to_GM_datas"), 50);
  EXPECT_DOUBLE_EQ(values.at("GM_to_UB_datas"), 20);
  EXPECT_DOUBLE_EQ(values.at("UB_to_GM_datas"), 10);
}

TEST(PmuMetrics, WeighsOperationsPerChip) {
  const std::vector<U64> one(7, 1);
  const auto fops = [&](ChipId chip, const char* name) {
    return evaluate(PmuGroup::kArithmeticUtilization, chip, one, 10, 1000).at(name);
  };
  EXPECT_DOUBLE_EQ(fops(ChipId::k910B, "cube_fops"), 24576);
  EXPECT_DOUBLE_EQ(fops(ChipId::k910B, "vector_fops"), 128 + 64 + 64 + 64 + 32);
  EXPECT_DOUBLE_EQ(fops(ChipId::k310P, "vector_fops"), 128 + 64 + 64 + 16 + 16);
  EXPECT_DOUBLE_EQ(fops(ChipId::k310, "vector_fops"), 128 + 64 + 32 + 64 + 32);
  EXPECT_DOUBLE_EQ(fops(ChipId::k910B, "vec_fp16_ratio"), 0.2);
}

TEST(PmuMetrics, DividesByNothingAsZero) {
  const auto values =
      evaluate(PmuGroup::kPipeUtilization, ChipId::k910B, std::vector<U64>(8, 5), 0, 1000);
  EXPECT_EQ(values.at("vec"), 0);
  EXPECT_EQ(evaluate(PmuGroup::kPipeUtilization, ChipId::k910B, std::vector<U64>(8, 0), 9, 1000)
                .at("icache_miss_rate"),
            0);
}

TEST(PmuMetrics, EveryCollectedGroupHasColumnsFromItsOwnEvents) {
  for (const Chip& chip : all_chips()) {
    if (chip.family == ChipFamily::kNano) continue;
    for (int number = 0; number < static_cast<int>(PmuGroup::kCustom); ++number) {
      const auto group = static_cast<PmuGroup>(number);
      const auto metrics = pmu_metrics(group, chip.id);
      EXPECT_EQ(metrics.empty(), pmu_events(group, chip.id).empty()) << pmu_group_name(group);
      const PmuEvaluator evaluator(group, chip.id, pmu_events(group, chip.id));
      EXPECT_EQ(evaluator.columns().size(), metrics.size())
          << pmu_group_name(group) << " on " << chip.product;
    }
  }
}

TEST(PmuMetrics, LeavesOutColumnsWithoutTheirEvents) {
  const std::uint16_t events[] = {0x8, 0x54};
  const PmuEvaluator evaluator(PmuGroup::kPipeUtilization, ChipId::k910B, events);
  ASSERT_EQ(evaluator.columns().size(), 1u);
  EXPECT_EQ(evaluator.columns()[0].name, "vec");
}

TEST(PmuMetrics, ShowsCustomEventsAsCounts) {
  const std::uint16_t events[] = {0x8, 0x1ff};
  const PmuEvaluator evaluator(PmuGroup::kCustom, ChipId::k910B, events);
  ASSERT_EQ(evaluator.columns().size(), 2u);
  EXPECT_EQ(evaluator.columns()[1].name, "r1ff");
  double values[2];
  const U64 counters[] = {7, 9};
  evaluator.evaluate(counters, 100, 1000, values);
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[1], 9);
}

}  // namespace
}  // namespace npuprof::format::device
