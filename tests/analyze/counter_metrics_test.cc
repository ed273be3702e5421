#include "analyze/counter_metrics.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::PmuCore;

trace::DeviceInfo device_910b() {
  trace::DeviceInfo device;
  device.chip = 5;
  device.ai_core_count = 24;
  device.vector_core_count = 48;
  device.aic_mhz = 1650;
  device.aic_metrics = "PipeUtilizationExct";
  device.aic_events = {0x416, 0x417, 0x9, 0x302, 0xC, 0x303, 0x54, 0x55};
  device.aiv_metrics = "PipeUtilization";
  device.aiv_events = {0x8, 0xA, 0x9, 0xB, 0xC, 0xD, 0x54, 0x55};
  return device;
}

std::uint32_t add(trace::PmuRecords& pmu, PmuCore core, std::uint64_t cycles, double mhz,
                  trace::PmuCounters counters) {
  trace::resize_rows(pmu, pmu.size() + 1);
  pmu.core.back() = static_cast<std::uint8_t>(core);
  pmu.cycles.back() = cycles;
  pmu.mhz.back() = mhz;
  pmu.counters.back() = counters;
  return static_cast<std::uint32_t>(pmu.size() - 1);
}

// Values by column name.
class Values {
 public:
  Values(const PmuColumns& columns, const trace::PmuRecords& pmu, const KernelCounters& kernel)
      : columns_(columns), values_(columns.size()) {
    columns.compute(pmu, kernel, values_);
  }
  double operator[](std::string_view name) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_.columns()[i].name == name) return values_[i];
    }
    ADD_FAILURE() << "no column " << name;
    return 0;
  }

 private:
  const PmuColumns& columns_;
  std::vector<double> values_;
};

std::vector<std::string> text_headers(const PmuColumns& columns) {
  std::vector<std::string> headers;
  for (const PmuColumn& column : columns.columns()) {
    if (column.in_text) headers.push_back(column.header);
  }
  return headers;
}

std::vector<std::string> hidden_columns(const PmuColumns& columns) {
  std::vector<std::string> names;
  for (const PmuColumn& column : columns.columns()) {
    if (!column.in_text) names.push_back(column.name);
  }
  return names;
}

TEST(PmuMetricsTest, ColumnsOfPipeUtilizationOnThe910B) {
  const PmuColumns columns(device_910b());
  EXPECT_THAT(
      text_headers(columns),
      ElementsAre("aicore_time(us)", "aic_total_cycles", "aic_mac_time(us)", "aic_mac_ratio",
                  "aic_scalar_time(us)", "aic_scalar_ratio", "aic_mte1_time(us)", "aic_mte1_ratio",
                  "aic_mte2_time(us)", "aic_mte2_ratio", "aic_fixpipe_time(us)",
                  "aic_fixpipe_ratio", "aic_icache_miss_rate", "aiv_time(us)", "aiv_total_cycles",
                  "aiv_vec_time(us)", "aiv_vec_ratio", "aiv_scalar_time(us)", "aiv_scalar_ratio",
                  "aiv_mte2_time(us)", "aiv_mte2_ratio", "aiv_mte3_time(us)", "aiv_mte3_ratio",
                  "aiv_icache_miss_rate", "cube_utilization(%)"));
  EXPECT_THAT(hidden_columns(columns),
              ElementsAre("aiv_mac_time", "aiv_mac_ratio", "aiv_mte1_time", "aiv_mte1_ratio"));
  EXPECT_EQ(columns.columns().front().name, "aic_total_time");
  EXPECT_FALSE(columns.columns().back().in_database);
  // What the database has of each kernel.
  EXPECT_EQ(columns.size() - 1, 28u);
}

TEST(PmuMetricsTest, MetricsOfACubeKernel) {
  const PmuColumns columns(device_910b());
  trace::PmuRecords pmu;
  KernelCounters kernel;
  kernel.main = add(pmu, PmuCore::kAic, 43200, 1650, {100, 200, 300, 400, 500, 600, 1000, 10});
  kernel.block_num = 30;
  kernel.duration_ns = 10'000;
  const Values values(columns, pmu, kernel);
  EXPECT_NEAR(values["aic_total_time"], 1.7454545, 1e-7);  // Two rounds on 24 cores.
  EXPECT_EQ(values["aic_total_cycles"], 43200);
  EXPECT_NEAR(values["aic_mac_ratio"], 0.006944, 1e-6);
  EXPECT_NEAR(values["aic_scalar_ratio"], 0.006944, 1e-6);
  EXPECT_NEAR(values["aic_mte1_ratio"], 0.009259, 1e-6);
  EXPECT_NEAR(values["aic_mte2_ratio"], 0.011574, 1e-6);
  EXPECT_NEAR(values["aic_fixpipe_ratio"], 0.013889, 1e-6);
  EXPECT_DOUBLE_EQ(values["aic_icache_miss_rate"], 0.01);
  EXPECT_DOUBLE_EQ(values["aic_mte2_time"], values["aic_total_time"] * values["aic_mte2_ratio"]);
  EXPECT_EQ(values["aiv_total_time"], 0);
  EXPECT_EQ(values["aiv_vec_ratio"], 0);
  EXPECT_NEAR(values["cube_utilization"], 43200.0 / (1650 * 24) / 10 * 100, 1e-9);
}

TEST(PmuMetricsTest, AMixKernelHasBothSides) {
  const PmuColumns columns(device_910b());
  trace::PmuRecords pmu;
  KernelCounters kernel;
  kernel.main = add(pmu, PmuCore::kMixAic, 2032800, 1500, {0, 772464});
  kernel.slave = add(pmu, PmuCore::kAiv, 4065600, 0, {2114112});
  pmu.is_slave[kernel.slave] = 1;
  pmu.block_count[kernel.slave] = 40;
  kernel.block_num = 20;
  kernel.mix_block_num = 40;
  const Values values(columns, pmu, kernel);
  EXPECT_NEAR(values["aic_total_time"], 67.76, 1e-9);
  EXPECT_NEAR(values["aic_mac_time"], 25.7488, 1e-4);
  EXPECT_NEAR(values["aiv_total_time"], 67.76, 1e-9);  // At the main record's frequency.
  EXPECT_NEAR(values["aiv_vec_ratio"], 0.52, 1e-9);

  // A kernel that vector cores lead is the other way round.
  pmu.core[kernel.main] = static_cast<std::uint8_t>(PmuCore::kMixAiv);
  const Values swapped(columns, pmu, kernel);
  EXPECT_EQ(swapped["aiv_total_cycles"], 2032800);
  EXPECT_EQ(swapped["aic_total_cycles"], 4065600);

  // More blocks than the host announced: the average is over those.
  pmu.block_count[kernel.slave] = 48;
  EXPECT_NEAR(Values(columns, pmu, kernel)["aic_total_time"], 4065600.0 / 1500 / 48 * 2, 1e-9);
}

TEST(PmuMetricsTest, WithoutCountersThereIsNothing) {
  const PmuColumns columns(device_910b());
  std::vector<double> values(columns.size());
  columns.compute({}, {}, values);
  for (const double value : values) EXPECT_TRUE(std::isnan(value));
}

TEST(PmuMetricsTest, WithoutBlockCountsTimesAreZeroAndRatiosAreNot) {
  const PmuColumns columns(device_910b());
  trace::PmuRecords pmu;
  KernelCounters kernel;
  kernel.main = add(pmu, PmuCore::kAiv, 1000, 1650, {500});
  const Values values(columns, pmu, kernel);
  EXPECT_EQ(values["aiv_total_time"], 0);
  EXPECT_EQ(values["aiv_vec_time"], 0);
  EXPECT_EQ(values["aiv_vec_ratio"], 0.5);
}

TEST(PmuMetricsTest, BandwidthUsesTheNominalFrequency) {
  trace::DeviceInfo device = device_910b();
  device.aic_metrics = device.aiv_metrics = "Memory";
  device.aic_events = device.aiv_events = {0x15, 0x16, 0x31, 0x32, 0xF, 0x10, 0x12, 0x13};
  const PmuColumns columns(device);
  EXPECT_THAT(
      text_headers(columns),
      ElementsAre("aicore_time(us)", "aic_total_cycles", "aic_l1_read_bw(GB/s)",
                  "aic_l1_write_bw(GB/s)", "aic_main_mem_read_bw(GB/s)",
                  "aic_main_mem_write_bw(GB/s)", "aic_l2_read_bw(GB/s)", "aic_l2_write_bw(GB/s)",
                  "aiv_time(us)", "aiv_total_cycles", "aiv_ub_read_bw(GB/s)",
                  "aiv_ub_write_bw(GB/s)", "aiv_main_mem_read_bw(GB/s)",
                  "aiv_main_mem_write_bw(GB/s)", "aiv_l2_read_bw(GB/s)", "aiv_l2_write_bw(GB/s)"));
  trace::PmuRecords pmu;
  KernelCounters kernel;
  kernel.main = add(pmu, PmuCore::kAic, 1'650'000, 800, {0, 0, 1000, 0, 0, 0, 2000});
  const Values values(columns, pmu, kernel);
  // 1 ms at 1650 MHz.
  EXPECT_NEAR(values["aic_l1_read_bw"], 1000 * 4096 / 1e-3 / 8589934592.0, 1e-9);
  EXPECT_NEAR(values["aic_main_mem_read_bw"], 2000 * 64 / 1e-3 / 8589934592.0, 1e-9);
}

TEST(PmuMetricsTest, OtherGroupsOfThe910B) {
  trace::DeviceInfo device = device_910b();
  device.aiv_metrics.clear();
  device.aic_metrics = "MemoryL0";
  device.aic_events = {0x1B, 0x1C, 0x21, 0x22, 0x27, 0x28, 0x29, 0x2A};
  EXPECT_THAT(hidden_columns(PmuColumns(device)),
              ElementsAre("aic_l0c_read_bw", "aic_l0c_write_bw"));
  device.aic_metrics = "ArithmeticUtilization";
  device.aic_events = {0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F};
  EXPECT_THAT(text_headers(PmuColumns(device)),
              ElementsAre("aicore_time(us)", "aic_total_cycles", "aic_mac_fp16_ratio",
                          "aic_mac_int8_ratio", "aic_cube_fops"));
  device.aic_metrics = "Custom:0x416,0x9";
  device.aic_events = {0x416, 0x9};
  EXPECT_THAT(text_headers(PmuColumns(device)),
              ElementsAre("aicore_time(us)", "aic_total_cycles", "aic_r416", "aic_r9"));
  device.aic_metrics = "MemoryAccess";
  device.aic_events = {0x32, 0x3D, 0x3E, 0x206, 0x20C, 0x50C, 0x50D, 0x50E};
  EXPECT_EQ(PmuColumns(device).columns()[2].header, "aic_read_main_memory_datas(KB)");
  device.aic_metrics.clear();
  EXPECT_THAT(PmuColumns(device).columns(), IsEmpty());
}

TEST(PmuMetricsTest, Chip15TakesTimesFromTheStamps) {
  trace::DeviceInfo device = device_910b();
  device.chip = 15;
  device.aic_metrics = device.aiv_metrics = "PipeUtilization";
  device.aic_events =
      device.aiv_events = {0x501, 0x301, 0x1, 0x701, 0x202, 0x203, 0x34, 0x35, 0x714};
  const PmuColumns columns(device);
  trace::PmuRecords pmu;
  KernelCounters kernel;
  kernel.main = add(pmu, PmuCore::kAic, 1000, 800, {0, 250});
  pmu.start_ns[0] = 1000;
  pmu.end_ns[0] = 5000;
  const Values values(columns, pmu, kernel);
  EXPECT_EQ(values["aic_total_time"], 4);
  EXPECT_EQ(values["aic_mac_time"], 1);
}

TEST(PmuMetricsTest, OtherChipsHaveOneSideAndTheMemoryBound) {
  trace::DeviceInfo device = device_910b();
  device.chip = 4;
  device.aic_metrics = "PipeUtilization";
  device.aic_events = device.aiv_events;
  const PmuColumns columns(device);
  EXPECT_EQ(columns.columns()[0].header, "aicore_time(us)");
  EXPECT_EQ(columns.columns()[1].header, "total_cycles");
  EXPECT_TRUE(hidden_columns(columns).empty());
  trace::PmuRecords pmu;
  KernelCounters kernel;
  kernel.main = add(pmu, PmuCore::kAic, 1000, 1150, {400, 500, 0, 0, 250});
  EXPECT_DOUBLE_EQ(Values(columns, pmu, kernel)["memory_bound"], 0.5);

  device.chip = 7;
  device.aic_metrics = "PipelineExecuteUtilization";
  device.aic_events = {0x12C, 0x49, 0x4A, 0x9, 0x302, 0xC, 0xD, 0x303};
  const PmuColumns execute(device);
  kernel.main = add(pmu, PmuCore::kAic, 1000, 1250, {400, 100, 100, 0, 0, 300});
  EXPECT_DOUBLE_EQ(Values(execute, pmu, kernel)["memory_bound"], 0.75);
  EXPECT_EQ(text_headers(execute).back(), "memory_bound");
}

}  // namespace
}  // namespace npuprof::analyze
