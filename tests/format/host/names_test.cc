#include "format/host/names.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

TEST(RawFile, IsNotAByProduct) {
  EXPECT_TRUE(is_raw_file("aging.api_event.data.slice_0"));
  EXPECT_FALSE(is_raw_file("aging.api_event.data.slice_0.done"));
  EXPECT_FALSE(is_raw_file("aging.api_event.data.slice_0.complete"));
  EXPECT_FALSE(is_raw_file("x.zip"));
}

TEST(HostFileName, RoundTrips) {
  const auto name = parse_host_file_name("unaging.additional.hash_dic.slice_12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->age, Age::kUnaging);
  EXPECT_EQ(name->module, Module::kAdditional);
  EXPECT_EQ(name->tag, "hash_dic");
  EXPECT_EQ(name->slice, 12u);
  EXPECT_EQ(make_host_file_name(name->age, name->module, name->tag, name->slice),
            "unaging.additional.hash_dic.slice_12");
  EXPECT_EQ(make_host_file_prefix(Age::kAging, Module::kApiEvent, "data"),
            "aging.api_event.data.slice_");
  EXPECT_TRUE(parse_host_file_name("unaging.variable.capture_op_info.slice_0"));
}

TEST(HostFileName, RefusesOtherNames) {
  for (const char* name :
       {"", "slice_0", ".slice_0", "aging.compact.slice_0", "aging.compact..slice_0",
        "old.compact.task_track.slice_0", "aging.other.task_track.slice_0",
        "aging.compact.task_track.slice_", "aging.compact.task_track.slice_1x",
        "aging.compact.task_track.slice_0.done", "aging.compact.task_track.slice_99999999999"}) {
    EXPECT_FALSE(parse_host_file_name(name)) << name;
  }
}

TEST(HostFileName, SortsUnagingFirstThenByNumber) {
  std::vector<HostFileName> names;
  for (const char* text : {"aging.compact.task_track.slice_10", "aging.compact.task_track.slice_9",
                           "unaging.compact.task_track.slice_11"}) {
    names.push_back(*parse_host_file_name(text));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names[0].slice, 11u);
  EXPECT_EQ(names[1].slice, 9u);
  EXPECT_EQ(names[2].slice, 10u);
}

TEST(PlainFileName, RoundTrips) {
  const auto name = parse_plain_file_name("123-CpuUsage.data.slice_3");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->base, "123-CpuUsage.data");
  EXPECT_EQ(make_plain_file_name(name->base, name->slice), "123-CpuUsage.data.slice_3");
}

TEST(DeviceFileName, ReadsAllSpellings) {
  const auto check = [](const char* text, std::string_view base, std::uint32_t device,
                        std::uint32_t slice) {
    const auto name = parse_device_file_name(text);
    ASSERT_TRUE(name) << text;
    EXPECT_EQ(name->base, base);
    EXPECT_EQ(name->device, device);
    EXPECT_EQ(name->slice, slice);
  };
  check("stars_soc.data.7.slice_2", "stars_soc.data", 7, 2);
  check("npu_mem.app.0.slice_0", "npu_mem.app", 0, 0);
  check("instr.group_0_aic.0.slice_0", "instr.group_0_aic", 0, 0);
  check("hwts.log.data.45.dev.profiler_default_tag.1.slice_4", "hwts.log.data", 1, 4);
  check("ts_track.data.44.1.5", "ts_track.data", 1, 5);
  check("DATA_PREPROCESS.dev.TDT.1.slice_0", "DATA_PREPROCESS.dev.TDT", 1, 0);
  check("Framework.host.vm.point.3.JOB2.slice_0", "Framework.host.vm.point", 3, 0);
  EXPECT_EQ(make_device_file_name("stars_soc.data", 7, 2), "stars_soc.data.7.slice_2");
}

TEST(DeviceFileName, RefusesOtherNames) {
  for (const char* name : {"", "data", "slice_0", "0.slice_0", ".0.slice_0", "x.y.slice_0",
                           "host_cpu.data.slice_0", "a.0.1", "stars_soc.data.7.slice_2.done"}) {
    EXPECT_FALSE(parse_device_file_name(name)) << name;
  }
}

TEST(ProfDirectoryName, RoundTrips) {
  const ProfDirectoryName name{
      .task = 1, .time = "20250109091234567", .pid = 3096504, .letters = "ABCDEFGR"};
  const std::string text = make_prof_directory_name(name);
  EXPECT_EQ(text, "PROF_000001_20250109091234567_03096504ABCDEFGR");
  const auto parsed = parse_prof_directory_name(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->task, 1u);
  EXPECT_EQ(parsed->time, name.time);
  EXPECT_EQ(parsed->pid, 3096504u);
  EXPECT_EQ(parsed->letters, "ABCDEFGR");
}

TEST(ProfDirectoryName, AcceptsOtherLastPartsAndRefusesOtherNames) {
  const auto parsed = parse_prof_directory_name("PROF_000001_20250109091234567_QKBCOPLMRGABHIDE");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->pid, 0u);
  EXPECT_EQ(parsed->letters, "QKBCOPLMRGABHIDE");
  for (const char* name : {"PROF_", "PROF_1_2", "PROF_1_2_abcde", "PROF_1_2_ABCD", "PROF_x_2_ABCDE",
                           "OPPROF_000001_1_ABCDE", "PROF_1__ABCDE"}) {
    EXPECT_FALSE(parse_prof_directory_name(name)) << name;
  }
}

}  // namespace
}  // namespace npuprof::format::host
