#include "format/framework/profiler_metadata.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "shared_data.h"

namespace npuprof::format::framework {
namespace {

constexpr std::string_view kOneLine =
    R"({"distributed_args": {"tp": 2, "names": ["é", "b"], "none": []}, "note": "free \"text\"", )"
    R"("ENV_VARIABLES": {"ASCEND_GLOBAL_LOG_LEVEL": "", "HCCL_ALGO": "level0:NA"}, )"
    R"("parallel_group_info": {"10.0.0.1%eth0_60000_0": {"group_name": "default_group", )"
    R"("group_rank": 1, "global_ranks": [0, 1]}}, "trace_id": "00112233445566778899AABBCCDDEEFF"})";

TEST(ProfilerMetadata, ReadsAndWritesOneLine) {
  const auto metadata = parse_profiler_metadata(kOneLine);
  ASSERT_TRUE(metadata.ok());
  ASSERT_EQ(metadata->user.size(), 2u);
  EXPECT_EQ(metadata->user[0].name, "distributed_args");
  EXPECT_EQ(metadata->user[1], (ExtraKey{"note", R"("free \"text\"")"}));
  ASSERT_TRUE(metadata->environment);
  EXPECT_EQ((*metadata->environment)[1], (ProfilerMetadata::Variable{"HCCL_ALGO", "level0:NA"}));
  ASSERT_TRUE(metadata->parallel_groups);
  EXPECT_EQ(
      metadata->parallel_groups->front(),
      (ProfilerMetadata::ParallelGroup{"10.0.0.1%eth0_60000_0", "default_group", 1, {0, 1}, {}}));
  EXPECT_EQ(metadata->trace_id, "00112233445566778899AABBCCDDEEFF");
  EXPECT_EQ(to_json(*metadata), kOneLine);
}

TEST(ProfilerMetadata, ReadsIndentedFiles) {
  const std::string text = R"({
    "ENV_VARIABLES": {
        "ASCEND_GLOBAL_LOG_LEVEL": "3"
    }
})";
  const auto metadata = parse_profiler_metadata(text);
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->environment->front().value, "3");
  EXPECT_FALSE(metadata->parallel_groups);
  EXPECT_FALSE(metadata->trace_id);
  EXPECT_EQ(to_json(*metadata), text);
}

TEST(ProfilerMetadata, EmptyGroupsAreNotMissingGroups) {
  const auto metadata = parse_profiler_metadata(R"({"parallel_group_info": {}})");
  ASSERT_TRUE(metadata.ok());
  ASSERT_TRUE(metadata->parallel_groups);
  EXPECT_TRUE(metadata->parallel_groups->empty());
  EXPECT_FALSE(metadata->empty());
  EXPECT_EQ(to_json(*metadata), R"({"parallel_group_info": {}})");
  EXPECT_TRUE(ProfilerMetadata().empty());
}

TEST(ProfilerMetadata, OddValuesAreKeptOrSkipped) {
  const auto metadata = parse_profiler_metadata(
      R"({"ENV_VARIABLES": {"N": 5}, "trace_id": 7,
          "parallel_group_info": {"g": 3, "h": {"global_ranks": ["0", 1], "size": 2}}})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->environment->front().value, "5");
  EXPECT_EQ(metadata->user, (std::vector<ExtraKey>{{"trace_id", "7"}}));
  ASSERT_EQ(metadata->parallel_groups->size(), 1u);
  const auto& group = metadata->parallel_groups->front();
  EXPECT_EQ(group.global_ranks, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(group.extra, (std::vector<ExtraKey>{{"size", "2"}}));
}

TEST(ProfilerMetadata, TruncationAtEveryByteIsAnErrorNotACrash) {
  for (std::size_t size = 0; size < kOneLine.size(); ++size) {
    EXPECT_FALSE(parse_profiler_metadata(std::string(kOneLine.substr(0, size))).ok());
  }
}

TEST(ProfilerMetadata, TextThatIsNotUtf8IsWrittenAsValidJson) {
  ProfilerMetadata metadata;
  metadata.environment.emplace().push_back({"NAME", "a\xFF"});
  EXPECT_EQ(to_json(metadata), "{\"ENV_VARIABLES\": {\"NAME\": \"a\xEF\xBF\xBD\"}}");
}

TEST(ProfilerMetadata, ReadsARealFile) {
  const auto path = npuprof::testing::shared_data_path(
      "data/real/text/level1/rank0_ascend_pt/profiler_metadata.json");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference data at " << path;
  const auto text = read_file(path);
  ASSERT_TRUE(text.ok());
  const auto metadata = parse_profiler_metadata(*text);
  ASSERT_TRUE(metadata.ok());
  EXPECT_TRUE(metadata->user.empty());
  ASSERT_TRUE(metadata->environment);
  ASSERT_EQ(metadata->environment->size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ((*metadata->environment)[i].name, kRecordedEnvironment[i]);
  }
}

}  // namespace
}  // namespace npuprof::format::framework
