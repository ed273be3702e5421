#include "sim/model/pmu.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "format/device/pmu_metrics.h"
#include "sim/model/sample_kernels.h"

namespace npuprof::sim {
namespace {

constexpr MetricGroup kGroups[] = {
    MetricGroup::kArithmeticUtilization,
    MetricGroup::kPipeUtilization,
    MetricGroup::kMemory,
    MetricGroup::kMemoryL0,
    MetricGroup::kResourceConflictRatio,
    MetricGroup::kMemoryUb,
    MetricGroup::kL2Cache,
    MetricGroup::kMemoryAccess,
};
constexpr const char* kChips[] = {"910B1", "910B4", "910_93", "910_95"};

using EventCounts = std::map<std::uint16_t, double>;

// One side of a kernel as a reader has it: events by number, cycles, blocks, cores.
struct Reading {
  CoreSide side;
  double cycles;
  EventCounts events;
  std::uint32_t blocks;
  std::uint32_t cores;
  double busy_ns;
};

Reading read(const ChipSpec& chip, const MetricSelection& selection, CoreSide side,
             const PmuCounts& counters, std::uint32_t blocks, double busy_ns) {
  Reading reading{.side = side,
                  .cycles = static_cast<double>(counters.total_cycles),
                  .events = {},
                  .blocks = blocks,
                  .cores = side == CoreSide::kCube ? chip.ai_core_count : chip.vector_core_count,
                  .busy_ns = busy_ns};
  const auto events = metric_events(chip, selection, side);
  for (std::size_t i = 0; i < events.size(); ++i) {
    reading.events[events[i]] = static_cast<double>(counters.counters[i]);
  }
  return reading;
}

// Calls `check` with every side of every kernel for a group.
template <typename Check>
void for_each_reading(const ChipSpec& chip, MetricGroup group, const Check& check) {
  const MetricSelection selection{group, {}};
  for (const KernelDesc& kernel : testing::all_core_kernels()) {
    const KernelEstimate result = estimate(chip, chip.aic_mhz, kernel);
    const PmuTemplate pmu(chip, selection, kernel, result);
    if (!pmu.counts()) continue;
    SCOPED_TRACE(std::string(chip.name) + " " + kernel.name);
    const std::uint32_t blocks = kernel.block_count;
    check(read(chip, selection, pmu.main_side(), pmu.main(result.busy_ns, chip.aic_mhz), blocks,
               result.busy_ns));
    ASSERT_EQ(pmu.slave_block_count(), is_mix(kernel.kind) ? blocks * kernel.mix_ratio : 0);
    if (pmu.slave_block_count() == 0) continue;
    const CoreSide other = pmu.main_side() == CoreSide::kCube ? CoreSide::kVector : CoreSide::kCube;
    check(read(chip, selection, other,
               pmu.slave(result.busy_ns, chip.aic_mhz, pmu.slave_block_count()),
               pmu.slave_block_count(), result.busy_ns));
  }
}

TEST(Pmu, EveryGroupOfTheFamilyHasEvents) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    for (const MetricGroup group : kGroups) {
      const bool old_only = group == MetricGroup::kMemoryAccess;
      const std::size_t count = metric_events(chip, {group, {}}, CoreSide::kCube).size();
      EXPECT_EQ(count == 0, chip.is_v6() && old_only) << name;
      EXPECT_LE(count, chip.is_v6() ? 10u : 8u) << name;
    }
  }
}

TEST(Pmu, NamesTheEventsOfTheDefaultGroupAsTheCollectorDoes) {
  const ChipSpec& chip = **find_chip("910B3");
  const MetricSelection selection = {MetricGroup::kPipeUtilization, {}};
  EXPECT_EQ(metric_events_text(chip, selection, CoreSide::kCube),
            "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55");
  EXPECT_EQ(metric_events_text(chip, selection, CoreSide::kVector),
            "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55");
  EXPECT_EQ(metric_group_text(chip, selection, CoreSide::kCube), "PipeUtilizationExct");
  EXPECT_EQ(metric_group_text(chip, selection, CoreSide::kVector), "PipeUtilization");
}

TEST(Pmu, NamesEventsOfTheUsersChoice) {
  const MetricSelection selection{MetricGroup::kCustom, {0x49, 0x8}};
  const ChipSpec& chip = **find_chip("910B3");
  EXPECT_EQ(metric_events_text(chip, selection, CoreSide::kCube), "0x49,0x8");
  EXPECT_EQ(metric_group_text(chip, selection, CoreSide::kCube), "Custom:0x49,0x8");
}

TEST(Pmu, TotalTimeFromCyclesIsTheTimeTheCoresWereBusy) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    for_each_reading(chip, MetricGroup::kPipeUtilization, [&](const Reading& r) {
      const double total_us = r.cycles / chip.aic_mhz / r.blocks * wave_count(r.blocks, r.cores);
      EXPECT_NEAR(total_us, r.busy_ns / 1000, 0.05 * r.busy_ns / 1000);
      if (r.side == CoreSide::kCube) {
        const double cube_utilization = r.cycles /
                                        (static_cast<double>(chip.aic_mhz) * chip.ai_core_count) /
                                        (r.busy_ns / 1000) * 100;
        EXPECT_LE(cube_utilization, 100.0);
      }
    });
  }
}

TEST(Pmu, PipeRatiosLieBetweenZeroAndOne) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    const std::set<std::uint16_t> misses = {0x55, 0x35};
    for_each_reading(chip, MetricGroup::kPipeUtilization, [&](const Reading& r) {
      double busiest = 0;
      for (const auto& [event, count] : r.events) {
        EXPECT_GE(count, 0);
        EXPECT_LE(count, r.cycles) << std::hex << event;
        busiest = std::max(busiest, count / r.cycles);
      }
      EXPECT_GT(busiest, 0.3) << "some unit must be at work";
      const double requests = r.events.at(chip.is_v6() ? 0x34 : 0x54);
      const double missed = r.events.at(chip.is_v6() ? 0x35 : 0x55);
      EXPECT_GT(requests, 0);
      EXPECT_LT(missed / requests, 0.5);
      // A cube core has no vector unit and the other way round.
      if (!chip.is_v6() && r.side == CoreSide::kVector) {
        EXPECT_EQ(r.events.at(0xa), 0);
        EXPECT_EQ(r.events.at(0xb), 0);
      }
    });
  }
}

TEST(Pmu, ArithmeticCountersGiveBackTheOperations) {
  const ChipSpec& chip = **find_chip("910B3");
  for (const KernelDesc& kernel : testing::all_core_kernels()) {
    const MetricSelection selection{MetricGroup::kArithmeticUtilization, {}};
    const KernelEstimate result = estimate(chip, chip.aic_mhz, kernel);
    const PmuTemplate pmu(chip, selection, kernel, result);
    if (kernel.kind != KernelCore::kAic) continue;
    const Reading r = read(chip, selection, CoreSide::kCube, pmu.main(result.busy_ns, chip.aic_mhz),
                           kernel.block_count, result.busy_ns);
    const double operations = 8192 * r.events.at(0x49) + 16384 * r.events.at(0x4a);
    EXPECT_NEAR(operations, kernel.cube_flops, 0.001 * kernel.cube_flops + 16384 * 20);
    EXPECT_LE(r.events.at(0x49) + r.events.at(0x4a), r.cycles);
  }
  for_each_reading(chip, MetricGroup::kArithmeticUtilization, [&](const Reading& r) {
    double vector = 0;
    for (const std::uint16_t event : {0x4b, 0x4c, 0x4d, 0x4e, 0x4f}) vector += r.events.at(event);
    EXPECT_LE(vector, r.cycles);
  });
}

// GB/s of one core, by the readers' formula: counts * bits / (cycles / Hz) / 2^33.
double bandwidth(const Reading& r, std::uint16_t event, double bits, double mhz) {
  return r.cycles > 0 ? r.events.at(event) * bits / (r.cycles / (mhz * 1e6)) / 8589934592.0 : 0;
}

TEST(Pmu, MemoryBandwidthsStayBelowThePeak) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    const double mhz = chip.aic_mhz;
    for_each_reading(chip, MetricGroup::kMemory, [&](const Reading& r) {
      const double active = std::min(r.blocks, r.cores);
      const double main_read = bandwidth(r, chip.is_v6() ? 0x422 : 0x12, 64, mhz) * active;
      const double main_write = bandwidth(r, chip.is_v6() ? 0x423 : 0x13, 64, mhz) * active;
      EXPECT_LE(main_read, chip.hbm_gb_per_s);
      EXPECT_LE(main_write, chip.hbm_gb_per_s);
      EXPECT_GT(main_read + main_write, 0);
      if (chip.is_v6()) return;
      EXPECT_LE(bandwidth(r, 0xf, 2048, mhz) * active, chip.l2_gb_per_s);
      EXPECT_LE(bandwidth(r, 0x10, 2048, mhz) * active, chip.l2_gb_per_s);
      // Buffers of a core move at most 1 KiB per cycle.
      const double buffer_peak = 1024 * mhz * 1e6 / (1 << 30);
      EXPECT_LE(bandwidth(r, 0x15, 1024, mhz), buffer_peak);
      EXPECT_LE(bandwidth(r, 0x31, 4096, mhz), buffer_peak);
      EXPECT_LE(bandwidth(r, 0x32, 1024, mhz), buffer_peak);
      EXPECT_EQ(r.events.at(0x15) > 0, r.side == CoreSide::kVector);
      EXPECT_EQ(r.events.at(0x32) > 0, r.side == CoreSide::kCube);
    });
  }
}

TEST(Pmu, BufferBandwidthsStayBelowThePeak) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    const double mhz = chip.aic_mhz;
    const double peak = 1024 * mhz * 1e6 / (1 << 30);
    for (const MetricGroup group : {MetricGroup::kMemoryL0, MetricGroup::kMemoryUb}) {
      for_each_reading(chip, group, [&](const Reading& r) {
        double sum = 0;
        for (const auto& [event, count] : r.events) {
          const bool accumulators =
              event == 0x28 || event == 0x2a || event == 0x30a || event == 0x308;
          const double bits = accumulators ? 8192 : group == MetricGroup::kMemoryL0 ? 4096 : 256;
          EXPECT_LE(bandwidth(r, event, bits, mhz), peak) << std::hex << event;
          sum += count;
        }
        const bool fits = (group == MetricGroup::kMemoryL0) == (r.side == CoreSide::kCube);
        EXPECT_TRUE(!fits || sum > 0);
      });
    }
  }
}

TEST(Pmu, CacheHitsAndMissesAddUpToTheTraffic) {
  const MetricSelection selection{MetricGroup::kL2Cache, {}};
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    for (const KernelDesc& kernel : testing::all_core_kernels()) {
      const KernelEstimate result = estimate(chip, chip.aic_mhz, kernel);
      const PmuTemplate pmu(chip, selection, kernel, result);
      double lines = 0;
      for (const PmuCounts& side :
           {pmu.main(result.busy_ns, chip.aic_mhz),
            pmu.slave(result.busy_ns, chip.aic_mhz, pmu.slave_block_count())}) {
        const auto& c = side.counters;
        // The newest chip counts lines that were pushed out as a third kind.
        lines += chip.is_v6() ? static_cast<double>(c[0] + c[1] + c[3] + c[4])
                              : static_cast<double>(c[0] + c[1] + c[2] + c[3] + c[4] + c[5]);
      }
      const double expected = (kernel.bytes_read + kernel.bytes_written) / 128;
      EXPECT_NEAR(lines, expected, 12 + 0.001 * expected) << name << " " << kernel.name;
    }
  }
}

TEST(Pmu, MemoryAccessGivesBackTheBytes) {
  const ChipSpec& chip = **find_chip("910B3");
  const MetricSelection selection{MetricGroup::kMemoryAccess, {}};
  const KernelDesc kernel = testing::elementwise(1e7);
  const KernelEstimate result = estimate(chip, 1800, kernel);
  const PmuTemplate pmu(chip, selection, kernel, result);
  const Reading r =
      read(chip, selection, CoreSide::kVector, pmu.main(result.busy_ns, 1800), 40, result.busy_ns);
  EXPECT_NEAR((r.events.at(0x50d) + r.events.at(0x50e)) / 8 * 1024, result.hbm_read_bytes, 1e4);
  EXPECT_NEAR(r.events.at(0x3e) / 8 * 1024, kernel.bytes_read, 1e4);
  EXPECT_NEAR(r.events.at(0x3d) / 8 * 1024, kernel.bytes_written, 1e4);
  EXPECT_EQ(r.events.at(0x32), 0) << "a vector core has no L1";
}

TEST(Pmu, ConflictRatiosAreSmall) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    for_each_reading(chip, MetricGroup::kResourceConflictRatio, [&](const Reading& r) {
      if (chip.is_v6()) {
        EXPECT_LE(r.events.at(0x528), r.events.at(0x502));
        EXPECT_LE(r.events.at(0x540) + r.events.at(0x556), r.cycles);
      } else {
        EXPECT_LE(r.events.at(0x64) + r.events.at(0x65) + r.events.at(0x66), r.cycles);
      }
    });
  }
}

// The columns a reader shows, by the formulas of the loaders themselves.
TEST(Pmu, ReadersShowPlausibleColumnsForEveryGroup) {
  using format::device::MetricKind;
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    const auto chip_id = chip.id();
    for (const MetricGroup group : kGroups) {
      for_each_reading(chip, group, [&](const Reading& r) {
        const MetricSelection selection{group, {}};
        const auto events = metric_events(chip, selection, r.side);
        const auto pmu_group =
            format::device::find_pmu_group(metric_group_text(chip, selection, r.side));
        ASSERT_TRUE(pmu_group);
        const format::device::PmuEvaluator evaluator(*pmu_group, chip_id, events);
        std::vector<format::U64> counters(10, std::uint64_t{0});
        for (std::size_t i = 0; i < events.size(); ++i) {
          counters[i] = static_cast<std::uint64_t>(r.events.at(events[i]));
        }
        std::vector<double> values(evaluator.columns().size());
        EXPECT_FALSE(values.empty());
        evaluator.evaluate(counters, static_cast<std::uint64_t>(r.cycles), chip.aic_mhz, values);
        const double active = std::min(r.blocks, r.cores);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto& column = evaluator.columns()[i];
          EXPECT_GE(values[i], 0) << column.name;
          if (column.kind == MetricKind::kPipeRatio || column.kind == MetricKind::kRatio ||
              column.kind == MetricKind::kQuotient) {
            EXPECT_LE(values[i], 1.0) << column.name;
          }
          if (column.name.starts_with("main_mem")) {
            EXPECT_LE(values[i] * active, chip.hbm_gb_per_s) << column.name;
          }
          if (column.name == "cube_fops") {
            const double peak = 16384 * r.cycles;
            EXPECT_LE(values[i], peak);
          }
        }
      });
    }
  }
}

TEST(Pmu, SlaveBlocksAddUpToTheSlaveSide) {
  const ChipSpec& chip = **find_chip("910B3");
  const KernelDesc kernel = testing::attention(KernelCore::kMixAic);
  const KernelEstimate result = estimate(chip, 1800, kernel);
  const PmuTemplate pmu(chip, {MetricGroup::kPipeUtilization, {}}, kernel, result);
  const PmuCounts block = pmu.slave(result.busy_ns, 1800, 1);
  const PmuCounts total = pmu.slave(result.busy_ns, 1800, pmu.slave_block_count());
  EXPECT_EQ(pmu.slave_block_count(), 40u);
  EXPECT_NEAR(static_cast<double>(total.total_cycles),
              40.0 * static_cast<double>(block.total_cycles), 40);
}

TEST(Pmu, OtherKernelsAndNoGroupHaveNoCounters) {
  const ChipSpec& chip = **find_chip("910B3");
  KernelDesc kernel = testing::elementwise(1000);
  const KernelEstimate result = estimate(chip, 1800, kernel);
  EXPECT_FALSE(PmuTemplate(chip, {}, kernel, result).counts());
  kernel.kind = KernelCore::kAicpu;
  EXPECT_FALSE(PmuTemplate(chip, {MetricGroup::kPipeUtilization, {}}, kernel, result).counts());
}

TEST(L2Cache, HitsAndVictimsAreParts) {
  for (const char* name : kChips) {
    const ChipSpec& chip = **find_chip(name);
    const KernelEstimate result = estimate(chip, 1650, testing::elementwise(1e7));
    const L2Counters c = l2_cache_counters(chip, result);
    if (chip.is_v6()) {
      EXPECT_GT(c[0], c[1] + c[2] + c[3] + c[4] + c[5]);
    } else {
      const double requests = static_cast<double>(c[1] + c[2]);
      EXPECT_NEAR(static_cast<double>(c[4] + c[5]) / requests, 0.3, 0.01);
      EXPECT_LT(c[6], c[1] + c[2]);
    }
    const L2Counters translation = smmu_counters(result);
    EXPECT_EQ(translation[1], translation[0] + translation[3] + translation[4]);
  }
}

}  // namespace
}  // namespace npuprof::sim
