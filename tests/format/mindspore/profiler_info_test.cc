#include "format/mindspore/profiler_info.h"

#include <gtest/gtest.h>

#include "format/mindspore/record_clock.h"

namespace npuprof::format::mindspore {
namespace {

constexpr std::string_view kWritten = R"({
    "profiler_parameters": {
        "is_set_schedule": true,
        "output_path": "./data",
        "profiler_level": "Level1",
        "activities": [
            "CPU",
            "NPU"
        ],
        "aic_metrics": "PipeUtilization",
        "with_stack": true,
        "profile_memory": true,
        "data_process": false,
        "parallel_strategy": false,
        "start_profile": true,
        "l2_cache": false,
        "hbm_ddr": false,
        "pcie": false,
        "sys_io": false,
        "sys_interconnection": true,
        "host_sys": [],
        "sync_enable": true,
        "data_simplification": true,
        "record_shapes": true,
        "export_type": [
            "text",
            "db"
        ],
        "mstx": false,
        "mstx_domain_include": [],
        "mstx_domain_exclude": [],
        "schedule": {
            "wait": 1,
            "active": 2,
            "warmup": 0,
            "repeat": 1,
            "skip_first": 0
        }
    },
    "ms_profiler_info": {
        "rank_id": "3",
        "device_id": "1"
    },
    "cann_profiler_info": {},
    "analysis_cost_time": {},
    "ms_version": "2.7.0",
    "cann_version": "not known",
    "jit_level": "O1"
})";

TEST(MindSporeProfilerInfo, SurvivesARoundTrip) {
  const auto info = parse_profiler_info(kWritten);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info.value().rank_id, 3);
  EXPECT_EQ(info.value().device_id, 1);
  EXPECT_TRUE(info.value().parameters.is_set_schedule);
  EXPECT_TRUE(info.value().parameters.has_activity("NPU"));
  EXPECT_FALSE(info.value().parameters.has_activity("GPU"));
  EXPECT_EQ(info.value().parameters.schedule->active, 2);
  EXPECT_TRUE(info.value().extra.empty());
  EXPECT_EQ(to_json(info.value()), kWritten);

  ProfilerInfo copy = info.value();
  copy.layout = {};
  EXPECT_EQ(to_json(copy), kWritten);
}

TEST(MindSporeProfilerInfo, KeepsWhatItDoesNotKnow) {
  const auto info = parse_profiler_info(
      R"({"profiler_parameters": {"future": 1}, "analysis_cost_time": {"a": 2}, "other": [3]})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info.value().parameters.extra.size(), 1u);
  EXPECT_EQ(info.value().parameters.profiler_level, "");  // Not the default.
  EXPECT_EQ(info.value().extra.size(), 2u);
  const auto again = parse_profiler_info(to_json(info.value()));
  EXPECT_EQ(again.value(), info.value());
  EXPECT_FALSE(parse_profiler_info("[]").ok());
}

framework::ClockSources complete_sources() {
  framework::ClockSources sources;
  sources.host_monotonic_ns = 5'000'000'000;
  sources.host_count = 1000;
  sources.collection_time_begin_us = "1700000000000000";
  sources.clock_monotonic_raw_ns = 4'999'000'000;
  sources.cpu_frequency = "100.000000";
  return sources;
}

TEST(MindSporeClock, TurnsTicksIntoTimesOfTheDay) {
  const framework::Clock clock = op_range_clock(complete_sources());
  EXPECT_EQ(clock.wall_ns(1000), 1'700'000'000'001'000'000);
  EXPECT_EQ(clock.wall_ns(51000), 1'700'000'000'001'500'000);
}

TEST(MindSporeClock, CountsFromZeroWhereNothingTellsTheTime) {
  framework::ClockSources sources = complete_sources();
  sources.host_count.reset();
  EXPECT_FALSE(tells_wall_time(sources));
  EXPECT_EQ(op_range_clock(sources).wall_ns(1000), 10'000);

  ProfilerInfo info;
  info.clock = ProfilerInfo::TickClock{1000, 500, 1'700'000'000'000'000'000};
  EXPECT_EQ(op_range_clock(sources, info).wall_ns(501), 1'700'000'000'000'000'001);
  EXPECT_EQ(op_range_clock(complete_sources(), info).wall_ns(1000), 1'700'000'000'001'000'000);
}

}  // namespace
}  // namespace npuprof::format::mindspore
