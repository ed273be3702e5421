// What a reader of a 910B needs before it can make kernels, counters and steps of a device
// directory: the control files with the values it computes with, and the raw files beside them.

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/device/pmu_events.h"
#include "format/device/stars_soc.h"
#include "format/host/control.h"
#include "sim/prof/device_data.h"
#include "sim/prof/device_reporter.h"
#include "sim/prof/prof_directory.h"
#include "temporary_directory.h"

namespace npuprof::sim {
namespace {

using format::device::ChipId;
using format::device::CoreKind;
using format::device::PmuGroup;
using format::device::SqeKind;
using format::device::StepTag;
using format::device::SubTaskType;

class DeviceDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    ProfOptions options;
    options.chip = find_chip("910b3").value();
    options.clock = SimClock(ClockOptions{}).anchors();
    options.clock.device_anchor_ticks = 1000000;
    options.clock.device_anchor_host_monotonic_ns = 7'000'000'000;
    options.name = {.task = 1,
                    .time = prof_name_time(options.clock.wall_begin_us),
                    .pid = 4711,
                    .letters = prof_name_letters(7)};
    auto created = ProfDirectory::create(parent_.path(), options);
    ASSERT_TRUE(created.ok());
    ASSERT_TRUE(created->add_device(0, options.clock).ok());
    write_device(created->device_data(0));
    ASSERT_TRUE(
        created->finish(options.clock.wall_begin_us + 1000, options.clock.monotonic_begin_ns + 1)
            .ok());
    device_ = created->path() / "device_0";
    data_ = testing::read_device_data(created->device_data(0));
  }

  static void write_device(const std::filesystem::path& directory) {
    auto reporter = DeviceReporter::create({.data_directory = directory});
    ASSERT_TRUE(reporter.ok());
    const std::uint64_t counters[] = {100, 200, 300, 400, 500, 600, 1000, 10};
    reporter->task({3, 7}, SqeKind::kAiCore, 1001000, 1001500);
    const KernelPmu mixed{.task = {3, 8},
                          .kind = CoreKind::kMixAic,
                          .context = 0,
                          .start = 1002020,
                          .end = 1002480,
                          .main = {43200, counters}};
    reporter->task(mixed.task, SqeKind::kAiCore, 1002000, 1002500);
    reporter->ffts_context(mixed.task, 0, SubTaskType::kMixAic, 1002010, 1002490);
    reporter->slave_pmu(mixed, {1000, counters}, 4, 40, 1002030, 1002470);
    reporter->context_pmu(mixed);
    reporter->step_trace(1, 0xFFFFFFFF, {3, 1}, StepTag::kStepStart, 1000900);
    reporter->step_trace(1, 0xFFFFFFFF, {3, 9}, StepTag::kStepEnd, 1002600);
    reporter->samples().ai_core_mhz(999000, 1800);
    EXPECT_TRUE(reporter->close().ok());
  }

  std::string control(const std::string& name) const {
    const auto content = read_file(device_ / name);
    EXPECT_TRUE(content.ok()) << name;
    EXPECT_TRUE(std::filesystem::exists(device_ / (name + ".done"))) << name;
    return content.ok() ? content.value() : "";
  }

  npuprof::testing::TemporaryDirectory parent_;
  std::filesystem::path device_;
  std::map<std::string, std::string> data_;
};

TEST_F(DeviceDirectory, HasTheControlFilesOfADevice) {
  const auto info = format::host::parse_info_json(control("info.json.0"));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->platform_version, 5);
  EXPECT_EQ(info->devices, "0");
  ASSERT_EQ(info->device_info.size(), 1u);
  EXPECT_EQ(info->device_info[0].hwts_frequency_mhz, 50);
  EXPECT_GT(info->device_info[0].ai_core_num, 0);
  EXPECT_EQ(info->device_info[0].aiv_num, 2 * info->device_info[0].ai_core_num);
  EXPECT_GE(info->driver_version, 0x072211) << "flips would be ignored";
  for (const char* name : {"start_info.0", "end_info.0"}) {
    EXPECT_TRUE(format::host::parse_collection_time(control(name)).ok()) << name;
  }
}

TEST_F(DeviceDirectory, NamesTheEventsOfItsCounters) {
  const auto sample = format::host::parse_sample_json(control("sample.json"));
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->ai_core_metrics, "PipeUtilizationExct");
  EXPECT_EQ(sample->ai_core_profiling_events, "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55");
  EXPECT_EQ(sample->aiv_metrics, "PipeUtilization");
  EXPECT_EQ(sample->aiv_profiling_events, "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55");
  EXPECT_EQ(sample->ai_core_profiling_mode, "task-based");
  EXPECT_EQ(sample->aiv_profiling_mode, "task-based");
}

TEST_F(DeviceDirectory, TiesTicksToTheHostClock) {
  const auto device = format::host::parse_clock_log(control("dev_start.log.0"));
  const auto host = format::host::parse_clock_log(control("host_start.log.0"));
  EXPECT_EQ(host.section, "Device0");
  ASSERT_TRUE(device.counter && host.monotonic_raw_ns && host.counter_diff);
  const auto time_ns = [&](std::uint64_t ticks) {
    return *host.monotonic_raw_ns + (ticks - *device.counter) * 1000 / 50;
  };
  const auto logs = testing::records_of<format::device::TaskLog>(data_.at("stars_soc.data"));
  ASSERT_EQ(logs.size(), 6u);
  EXPECT_EQ(time_ns(logs[0].syscnt), 7000020000u);
  EXPECT_EQ(time_ns(logs[1].syscnt), 7000030000u);
}

TEST_F(DeviceDirectory, HasTheRawFilesOfKernelsCountersAndSteps) {
  EXPECT_EQ(data_.at("stars_soc.data").size(), 6u * 64);
  EXPECT_EQ(data_.at("ffts_profile.data").size(), 5u * 128);
  EXPECT_EQ(data_.at("ts_track.data").size(), 2u * 40);
  EXPECT_EQ(data_.at("lpmFreqConv.data").size(), 888u);
  EXPECT_EQ(data_.size(), 4u);
}

}  // namespace
}  // namespace npuprof::sim
