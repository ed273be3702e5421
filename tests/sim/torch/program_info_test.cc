#include "sim/torch/program_info.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/framework/record_clock.h"
#include "sim/model/pmu.h"
#include "temporary_directory.h"

namespace npuprof::sim {
namespace {

using format::framework::ProfilerInfo;
using format::framework::ProfilerMetadata;

ProgramInfo program() {
  ProgramInfo info;
  info.framework.with_stack = true;
  info.framework.gc_detect_threshold_ms = 0;
  info.rank = 3;
  info.start_ns = 2'000'005;
  info.end_ns = 900'000'000;
  info.groups = {{"group_3", "default_group", 3, {0, 1, 2, 3}, {}}};
  info.environment = {{"HCCL_ALGO", "level0:NA"}, {"PATH", "not recorded"}};
  info.user_metadata = {{"model", R"("transformer")"}};
  return info;
}

TEST(ProgramInfo, WritesFilesThatReadBackTheSame) {
  const npuprof::testing::TemporaryDirectory directory;
  const SimClock clock{ClockOptions{}};
  ASSERT_TRUE(write_program_info(directory.path(), program(), clock).ok());
  const auto info_text = read_file(directory / "profiler_info_3.json");
  ASSERT_TRUE(info_text.ok());
  EXPECT_NE(info_text->find("\n    \"simulated\": true"), std::string::npos);
  EXPECT_NE(info_text->find("\n    \"rank_id\": \"3\""), std::string::npos);
  const auto info = format::framework::parse_profiler_info(*info_text);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(*info, make_profiler_info(program(), clock));
  EXPECT_TRUE(info->simulated);
  EXPECT_EQ(info->experimental.profiler_level, "Level1");
  EXPECT_EQ(info->experimental.gc_detect_threshold_ms, 0);
  ASSERT_TRUE(info->common.schedule);
  EXPECT_TRUE(info->common.schedule->is_function);

  const auto metadata_text = read_file(directory / "profiler_metadata.json");
  ASSERT_TRUE(metadata_text.ok());
  const auto metadata = format::framework::parse_profiler_metadata(*metadata_text);
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(*metadata, make_profiler_metadata(program()));
  ASSERT_TRUE(metadata->environment);
  EXPECT_EQ(metadata->environment->size(), 9u);
  EXPECT_EQ(metadata->environment->back(), (ProfilerMetadata::Variable{"HCCL_ALGO", "level0:NA"}));
  EXPECT_EQ(metadata->parallel_groups, program().groups);
  EXPECT_EQ(metadata->user, program().user_metadata);
}

TEST(ProgramInfo, ItsClockIsTheClockOfTheSimulation) {
  for (const std::uint32_t mhz : {100u, 50u, 24u}) {
    ClockOptions options;
    options.host_mhz = mhz;
    const SimClock clock(options);
    const auto sources = clock_sources(make_profiler_info(program(), clock));
    const format::framework::Clock reader(sources);
    for (const std::int64_t time_ns : {3'000'000L, 123'456'789L, 3'600'000'000'000L}) {
      const std::uint64_t ticks = clock.host_ticks(time_ns);
      const std::int64_t difference_ns =
          reader.wall_ns(static_cast<std::int64_t>(ticks)) - clock.wall_ns_of_host_ticks(ticks);
      // The offset of start_info is rounded to microseconds, that of profiler_info is not; and
      // 24 MHz are not whole nanoseconds.
      EXPECT_LE(std::abs(difference_ns), 1001) << mhz;
      const std::int64_t start_ns =
          reader.monotonic_ns(static_cast<std::int64_t>(clock.host_ticks(program().start_ns)));
      EXPECT_LE(std::abs(start_ns - clock.monotonic_ns(program().start_ns)), 1000 / mhz + 1) << mhz;
    }
  }
}

TEST(ProgramInfo, MetricNamesAreThoseTheDeviceLibraryReads) {
  const SimClock clock{ClockOptions{}};
  const std::pair<MetricGroup, std::string_view> names[] = {
      {MetricGroup::kArithmeticUtilization, "ACL_AICORE_ARITHMETIC_UTILIZATION"},
      {MetricGroup::kPipeUtilization, "ACL_AICORE_PIPE_UTILIZATION"},
      {MetricGroup::kMemory, "ACL_AICORE_MEMORY_BANDWIDTH"},
      {MetricGroup::kMemoryL0, "ACL_AICORE_L0B_AND_WIDTH"},
      {MetricGroup::kResourceConflictRatio, "ACL_AICORE_RESOURCE_CONFLICT_RATIO"},
      {MetricGroup::kMemoryUb, "ACL_AICORE_MEMORY_UB"},
      {MetricGroup::kL2Cache, "ACL_AICORE_L2_CACHE"},
      {MetricGroup::kMemoryAccess, "ACL_AICORE_MEMORY_ACCESS"}};
  for (const auto& [group, name] : names) {
    ProgramInfo info = program();
    info.collection.aic_metrics.group = group;
    EXPECT_EQ(make_profiler_info(info, clock).experimental.aic_metrics, name);
  }
  ProgramInfo info = program();
  info.collection.level = CollectionLevel::kLevel0;
  EXPECT_EQ(make_profiler_info(info, clock).experimental.aic_metrics, "ACL_AICORE_NONE");
}

TEST(ProgramInfo, TraceIdsDependOnSeedAndRankAlone) {
  const auto id = [](std::uint64_t seed, std::int64_t rank) {
    ProgramInfo info;
    info.seed = seed;
    info.rank = rank;
    return *make_profiler_metadata(info).trace_id;
  };
  EXPECT_EQ(id(1, 0), id(1, 0));
  EXPECT_NE(id(1, 0), id(1, 1));
  EXPECT_NE(id(1, 0), id(2, 0));
  const std::string text = id(1, 0);
  EXPECT_EQ(text.size(), 32u);
  EXPECT_EQ(text.find_first_not_of("0123456789ABCDEF"), std::string::npos);
  EXPECT_EQ(text[12], '4');
}

TEST(ProgramInfo, EnvironmentIsRecordedForTextExportsOnly) {
  ProgramInfo info;
  EXPECT_TRUE(make_profiler_metadata(info).environment);
  info.export_type = {"db"};
  EXPECT_FALSE(make_profiler_metadata(info).environment);
  EXPECT_FALSE(make_profiler_metadata(info).parallel_groups);
}

TEST(ProgramInfo, NamesTheDirectoryOfAProcess) {
  const std::string name = ascend_pt_name("node-1", 3096504, 1736408883369312);
  EXPECT_TRUE(name.starts_with("node-1_3096504_20250109"));
  EXPECT_TRUE(name.ends_with("369_ascend_pt"));
  EXPECT_EQ(name.size(), std::string("node-1_3096504_20250109074803369_ascend_pt").size());
}

}  // namespace
}  // namespace npuprof::sim
