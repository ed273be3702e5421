#include "format/framework/profiler_info.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "shared_data.h"

namespace npuprof::format::framework {
namespace {

constexpr std::string_view kComplete = R"({
    "config": {
        "common_config": {
            "activities": [
                "ProfilerActivity.CPU",
                "ProfilerActivity.NPU"
            ],
            "schedule": {
                "wait": 0,
                "active": 1,
                "warmup": 10,
                "repeat": 1,
                "skip_first": 40,
                "skip_first_wait": 2
            },
            "record_shapes": true,
            "profile_memory": true,
            "with_stack": true,
            "with_flops": false,
            "with_modules": true
        },
        "experimental_config": {
            "_profiler_level": "Level1",
            "_aic_metrics": "ACL_AICORE_PIPE_UTILIZATION",
            "_l2_cache": true,
            "_msprof_tx": false,
            "_mstx": true,
            "_data_simplification": true,
            "record_op_args": false,
            "_export_type": [
                "text",
                "db"
            ],
            "_host_sys": [
                "cpu"
            ],
            "_op_attr": false,
            "_gc_detect_threshold": 0.5,
            "_mstx_domain_include": [],
            "_mstx_domain_exclude": [
                "größe"
            ],
            "_sys_io": false,
            "_sys_interconnection": true
        }
    },
    "start_info": {
        "syscnt_enable": true,
        "freq": 100,
        "start_cnt": 17238197612056,
        "start_monotonic": 172163581670080
    },
    "end_info": {
        "collectionTimeEnd": 1736408884023552840,
        "MonotonicTimeEnd": 172164265133640
    },
    "torch_npu_version": "2.7.1",
    "cann_version": "8.3.RC1",
    "rank_id": "0",
    "simulated": true
})";

TEST(ProfilerInfo, ReadsAndWritesTheCompleteShape) {
  const auto info = parse_profiler_info(kComplete);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->common.activities.size(), 2u);
  ASSERT_TRUE(info->common.schedule);
  EXPECT_EQ(info->common.schedule->skip_first, 40);
  EXPECT_EQ(info->common.schedule->skip_first_wait, 2);
  EXPECT_TRUE(info->common.with_modules);
  EXPECT_EQ(info->experimental.export_type, (std::vector<std::string>{"text", "db"}));
  EXPECT_EQ(info->experimental.gc_detect_threshold_ms, 0.5);
  EXPECT_EQ(info->experimental.mstx, true);
  EXPECT_TRUE(info->start.syscnt_enable);
  EXPECT_EQ(info->start.start_cnt, 17238197612056);
  EXPECT_EQ(info->end.collection_time_end_ns, 1736408884023552840);
  EXPECT_EQ(info->rank_id, 0);
  EXPECT_TRUE(info->rank_id_is_text);
  EXPECT_TRUE(info->simulated);
  EXPECT_TRUE(info->extra.empty());
  EXPECT_EQ(to_json(*info), kComplete);
}

TEST(ProfilerInfo, AnEmptyObjectGivesTheDefaults) {
  const auto info = parse_profiler_info("{}");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(*info, ProfilerInfo());
  EXPECT_FALSE(info->rank_id);
  EXPECT_EQ(info->start.freq_mhz, 100);
}

TEST(ProfilerInfo, AcceptsExportTypeAsTextAndRankAsNumber) {
  const auto info = parse_profiler_info(
      R"({"config": {"experimental_config": {"_export_type": "db"}}, "rank_id": 3})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->experimental.export_type, std::vector<std::string>{"db"});
  EXPECT_FALSE(info->experimental.export_type_is_list);
  EXPECT_EQ(info->rank_id, 3);
  EXPECT_FALSE(info->rank_id_is_text);
  const std::string text = to_json(*info);
  EXPECT_NE(text.find(R"("_export_type": "db")"), std::string::npos);
  EXPECT_NE(text.find(R"("rank_id": 3)"), std::string::npos);
}

TEST(ProfilerInfo, KeepsTheThreeFormsOfASchedule) {
  for (const char* schedule : {"null", "{}", R"({"wait": 1, "future": [1, {"a": null}]})"}) {
    const auto info = parse_profiler_info(R"({"config": {"common_config": {"schedule": )" +
                                          std::string(schedule) + "}}}");
    ASSERT_TRUE(info.ok());
    const auto again = parse_profiler_info(to_json(*info));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *info) << schedule;
    EXPECT_EQ(info->common.schedule.has_value(), std::string_view(schedule) != "null");
  }
}

TEST(ProfilerInfo, UnknownKeysSurviveInTheirGroup) {
  const auto info = parse_profiler_info(
      R"({"new": [1, 2.5, "x"], "config": {"third_config": {"a": true}, "common_config": {"b": 1},
          "experimental_config": {"_c": "d"}}, "start_info": {"e": 2}, "end_info": {"f": null}})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->extra, (std::vector<ExtraKey>{{"new", R"([1, 2.5, "x"])"}}));
  EXPECT_EQ(info->config_extra, (std::vector<ExtraKey>{{"third_config", R"({"a": true})"}}));
  EXPECT_EQ(info->common.extra, (std::vector<ExtraKey>{{"b", "1"}}));
  EXPECT_EQ(info->experimental.extra, (std::vector<ExtraKey>{{"_c", R"("d")"}}));
  EXPECT_EQ(info->start.extra, (std::vector<ExtraKey>{{"e", "2"}}));
  EXPECT_EQ(info->end.extra, (std::vector<ExtraKey>{{"f", "null"}}));
  const auto again = parse_profiler_info(to_json(*info));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *info);
}

TEST(ProfilerInfo, ValuesOfUnexpectedTypesLeaveTheDefaults) {
  const auto info = parse_profiler_info(
      R"({"config": 7, "start_info": {"freq": "fast", "start_cnt": 1.5, "syscnt_enable": 1},
          "end_info": [], "rank_id": "zero", "simulated": "yes", "cann_version": 8})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->start.freq_mhz, 100);
  EXPECT_FALSE(info->start.syscnt_enable);
  EXPECT_FALSE(info->rank_id);
  EXPECT_FALSE(info->simulated);
}

TEST(ProfilerInfo, RefusesWhatIsNoJsonObject) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  std::string many = "{\"k0\": 0";
  for (int i = 1; i < 9000; ++i) many += ", \"k" + std::to_string(i) + "\": 0";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[1]"), std::string("\xFF"),
        std::string(kComplete.substr(0, 500)), "{\"a\": " + deep + "}", many + "}"}) {
    const auto info = parse_profiler_info(text);
    ASSERT_FALSE(info.ok()) << text.substr(0, 40);
    EXPECT_EQ(info.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ProfilerInfo, TruncationAtEveryByteIsAnErrorNotACrash) {
  for (std::size_t size = 0; size < kComplete.size(); ++size) {
    EXPECT_FALSE(parse_profiler_info(std::string(kComplete.substr(0, size))).ok());
  }
}

TEST(ProfilerInfo, TheRecordersPartStandsAloneToo) {
  const ProfilerInfo::Recorder recorder{.complete = false,
                                        .process = 4711,
                                        .clock = "counter",
                                        .events = 1,
                                        .dropped_events = 2,
                                        .dropped_details = 3,
                                        .too_deep_events = 4,
                                        .lost_events = 5,
                                        .threads = 6,
                                        .failure = "full disk",
                                        .extra = {}};
  const std::string text = to_json(recorder);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto read = parse_recorder(text + std::string(100, ' '));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, recorder);
  EXPECT_FALSE(parse_recorder("").ok());
  ProfilerInfo info;
  info.recorder = recorder;
  EXPECT_EQ(parse_profiler_info(to_json(info))->recorder, recorder);
}

TEST(ProfilerInfo, FileNamesCarryTheRank) {
  EXPECT_EQ(profiler_info_file_name(std::nullopt), "profiler_info.json");
  EXPECT_EQ(profiler_info_file_name(12), "profiler_info_12.json");
  for (const char* name :
       {"profiler_info.json", "profiler_info_0.json", "profiler_info_123.json"}) {
    EXPECT_TRUE(is_profiler_info_file_name(name)) << name;
  }
  for (const char* name : {"profiler_info_.json", "profiler_info_a.json", "profiler_info.jso",
                           "profiler_info", "profiler_info-1.json", "profiler_metadata.json"}) {
    EXPECT_FALSE(is_profiler_info_file_name(name)) << name;
  }
}

TEST(ProfilerInfo, RealFilesReadAndWriteToTheSameBytes) {
  for (const char* below : {"data/real/text/level1/rank0_ascend_pt/profiler_info_0.json",
                            "data/real/text/level1/rank1_ascend_pt/profiler_info_1.json",
                            "data/real/db/level0/rank0_ascend_pt/profiler_info_0.json"}) {
    const auto path = npuprof::testing::shared_data_path(below);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference data at " << path;
    const auto text = read_file(path);
    ASSERT_TRUE(text.ok());
    const auto info = parse_profiler_info(*text);
    ASSERT_TRUE(info.ok());
    EXPECT_TRUE(info->extra.empty());
    EXPECT_EQ(to_json(*info), *text);
  }
}

}  // namespace
}  // namespace npuprof::format::framework
