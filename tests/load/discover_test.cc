#include "load/discover.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Discover : public ::testing::Test {
 protected:
  void touch(const fs::path& relative) {
    const fs::path path = directory_.path() / relative;
    ASSERT_TRUE(make_directories(path.parent_path()).ok());
    ASSERT_TRUE(write_file(path, "{}").ok());
  }
  void make_prof(const fs::path& relative, int devices = 1) {
    touch(relative / "host/info.json");
    for (int device = 0; device < devices; ++device) {
      touch(relative / ("device_" + std::to_string(device)) /
            ("info.json." + std::to_string(device)));
    }
  }
  Discovery find(const fs::path& relative = {}) {
    auto found = discover(directory_.path() / relative);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? std::move(found).value() : Discovery{};
  }
  std::vector<std::string> names(const Discovery& discovery) {
    std::vector<std::string> result;
    for (const Profile& profile : discovery.profiles) {
      result.push_back(fs::relative(profile.path, directory_.path()).native());
    }
    return result;
  }

  npuprof::testing::TemporaryDirectory directory_;
};

TEST_F(Discover, DescribesAPyTorchProfile) {
  touch("node_1_2024_ascend_pt/profiler_info_3.json");
  touch("node_1_2024_ascend_pt/profiler_metadata.json");
  touch("node_1_2024_ascend_pt/FRAMEWORK/torch.op_range");
  make_prof("node_1_2024_ascend_pt/PROF_000001_1_A", 2);
  touch("node_1_2024_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_3.db");

  for (const char* spelling : {"node_1_2024_ascend_pt", "node_1_2024_ascend_pt/", ""}) {
    const Discovery found = find(spelling);
    ASSERT_THAT(found.profiles, SizeIs(1)) << spelling;
    const Profile& profile = found.profiles[0];
    EXPECT_EQ(profile.kind, ProfileKind::kPyTorch);
    EXPECT_EQ(profile.rank, 3);
    EXPECT_EQ(profile.framework.filename(), "FRAMEWORK");
    EXPECT_EQ(profile.profiler_info.filename(), "profiler_info_3.json");
    EXPECT_EQ(profile.profiler_metadata.filename(), "profiler_metadata.json");
    EXPECT_EQ(profile.results.filename(), "ASCEND_PROFILER_OUTPUT");
    EXPECT_EQ(profile.database.filename(), "ascend_pytorch_profiler_3.db");
    ASSERT_THAT(profile.cann, SizeIs(1));
    EXPECT_EQ(profile.cann[0].host.filename(), "host");
    ASSERT_THAT(profile.cann[0].devices, SizeIs(2));
    EXPECT_EQ(profile.cann[0].devices[1].id, 1);
    EXPECT_TRUE(profile.has_raw_data());
  }
}

TEST_F(Discover, SortsManyRanksByRankAndThenByPath) {
  for (const int rank : {10, 2, 0}) {
    const std::string name = "job/node_" + std::to_string(rank) + "_ascend_pt";
    touch(name + "/FRAMEWORK/torch.op_range");
    touch(name + "/profiler_info_" + std::to_string(rank) + ".json");
  }
  make_prof("job/b/PROF_000001_1_A");
  make_prof("job/a/PROF_000001_1_A");
  EXPECT_THAT(names(find()),
              ElementsAre("job/node_0_ascend_pt", "job/node_2_ascend_pt", "job/node_10_ascend_pt",
                          "job/a/PROF_000001_1_A", "job/b/PROF_000001_1_A"));
}

TEST_F(Discover, KeepsEveryCollectionOfAFrameworkProfile) {
  make_prof("x_ascend_ms/PROF_000002_2_A");
  make_prof("x_ascend_ms/PROF_000001_1_A");
  const Discovery found = find();
  ASSERT_THAT(found.profiles, SizeIs(1));
  EXPECT_EQ(found.profiles[0].kind, ProfileKind::kMindSpore);
  ASSERT_THAT(found.profiles[0].cann, SizeIs(2));
  EXPECT_EQ(found.profiles[0].cann[0].path.filename(), "PROF_000001_1_A");
}

TEST_F(Discover, KnowsRenamedDirectoriesByTheirContent) {
  make_prof("baseline");
  touch("torch/FRAMEWORK/torch.op_range");
  touch("mind/FRAMEWORK/mindspore.op_range");
  const Discovery found = find();
  ASSERT_THAT(names(found), ElementsAre("baseline", "mind", "torch"));
  EXPECT_EQ(found.profiles[0].kind, ProfileKind::kCann);
  EXPECT_EQ(found.profiles[1].kind, ProfileKind::kMindSpore);
  EXPECT_EQ(found.profiles[2].kind, ProfileKind::kPyTorch);
}

TEST_F(Discover, FindsWhatMindSporePutIntoAFolderOfItsRun) {
  touch("rank-0_20240101000000_ascend_ms/profiler/host_info/host_info_0.csv");
  make_prof("rank-0_20240101000000_ascend_ms/profiler/PROF_000001_1_A");
  const Discovery found = find();
  ASSERT_THAT(names(found), ElementsAre("rank-0_20240101000000_ascend_ms/profiler"));
  EXPECT_EQ(found.profiles[0].kind, ProfileKind::kMindSpore);
  EXPECT_THAT(found.profiles[0].cann, SizeIs(1));
  EXPECT_EQ(found.profiles[0].framework, found.profiles[0].path);
}

TEST_F(Discover, KnowsResultsWithoutRawData) {
  touch("out/trace_view.json");
  touch("out/ascend_pytorch_profiler.db");
  touch("out/msprof_20240101000000.db");
  Discovery found = find("out");
  ASSERT_THAT(found.profiles, SizeIs(1));
  EXPECT_EQ(found.profiles[0].kind, ProfileKind::kResultDirectory);
  EXPECT_EQ(found.profiles[0].database.filename(), "ascend_pytorch_profiler.db");
  EXPECT_FALSE(found.profiles[0].has_raw_data());

  EXPECT_EQ(find("out/trace_view.json").profiles.at(0).kind, ProfileKind::kChromeTrace);
  EXPECT_EQ(find("out/msprof_20240101000000.db").profiles.at(0).kind, ProfileKind::kResultDatabase);
}

TEST_F(Discover, TakesResultsWhereRawDataIsGone) {
  make_prof("PROF_000001_1_A");
  touch("PROF_000001_1_A/mindstudio_profiler_output/msprof_20240101000000.json");
  make_prof("PROF_000002_1_A", 2);
  touch("PROF_000002_1_A/device_1/timeline/msprof_1_2_1.json");
  make_prof("PROF_000003_1_A");
  touch("PROF_000003_1_A/device_0/data/stars_soc.data.0.slice_0");
  touch("PROF_000003_1_A/mindstudio_profiler_output/msprof_20240101000000.json");
  const Discovery found = find();
  ASSERT_THAT(names(found),
              ElementsAre("PROF_000001_1_A", "PROF_000002_1_A/device_1", "PROF_000003_1_A"));
  EXPECT_FALSE(found.profiles[0].has_raw_data());
  EXPECT_FALSE(found.profiles[1].has_raw_data());
  EXPECT_TRUE(found.profiles[2].has_raw_data());
  EXPECT_TRUE(found.profiles[1].is_cann_only());
  EXPECT_EQ(found.profiles[1].results.filename(), "device_1");
}

TEST_F(Discover, KnowsTimelinesForDisplay) {
  touch("run/profiler/timeline_display_1.json");
  touch("run/profiler/ascend_timeline_display_0.json");
  touch("run/profiler/ascend_timeline_summary_0.json");
  const Discovery found = find();
  ASSERT_THAT(names(found), ElementsAre("run/profiler/ascend_timeline_display_0.json",
                                        "run/profiler/timeline_display_1.json"));
  EXPECT_EQ(found.profiles[0].kind, ProfileKind::kChromeTrace);
}

TEST_F(Discover, FollowsLinksOnceAndSurvivesLoops) {
  make_prof("real/PROF_000001_1_A");
  fs::create_directory_symlink(directory_ / "real", directory_ / "again");
  fs::create_directory_symlink(directory_.path(), directory_ / "real/loop");
  fs::create_directory_symlink(directory_ / "nowhere", directory_ / "dangling");
  EXPECT_THAT(names(find()), ElementsAre("real/PROF_000001_1_A"));
}

TEST_F(Discover, SaysWhichDirectoriesWereLeftOut) {
  make_prof("PROF_000001_1_A");
  touch("PROF_000002_1_A/readme.txt");
  touch("y_ascend_pt/readme.txt");
  const Discovery found = find();
  EXPECT_THAT(names(found), ElementsAre("PROF_000001_1_A"));
  EXPECT_THAT(found.notices, ElementsAre(HasSubstr("PROF_000002_1_A was left out"),
                                         HasSubstr("y_ascend_pt was left out")));
}

TEST_F(Discover, SkipsDirectoriesItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  make_prof("PROF_000001_1_A");
  touch("locked/x");
  fs::permissions(directory_ / "locked", fs::perms::none);
  const Discovery found = find();
  fs::permissions(directory_ / "locked", fs::perms::owner_all);
  EXPECT_THAT(names(found), ElementsAre("PROF_000001_1_A"));
  EXPECT_THAT(found.notices, ElementsAre(HasSubstr("cannot be read")));
}

TEST_F(Discover, FindsResultsWithoutRawData) {
  touch("a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_3.db");
  touch("a_ascend_pt/profiler_info_3.json");
  touch("PROF_000001_1_A/mindstudio_profiler_output/msprof_20250101000000.json");
  touch("plain/kernel_details.csv");
  const auto found = find();
  EXPECT_THAT(names(found),
              ElementsAre("a_ascend_pt", "PROF_000001_1_A/mindstudio_profiler_output", "plain"));
  EXPECT_EQ(found.profiles[0].database.filename(), "ascend_pytorch_profiler_3.db");
  EXPECT_FALSE(found.profiles[0].has_raw_data());
  EXPECT_EQ(found.profiles[1].kind, ProfileKind::kResultDirectory);
}

TEST_F(Discover, ReadsTheRunAboveAResultFile) {
  touch("a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler.db");
  touch("a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
  touch("a_ascend_pt/profiler_info_7.json");
  for (const char* below : {"", "/ascend_pytorch_profiler.db", "/trace_view.json"}) {
    const auto found =
        discover(directory_.path() / ("a_ascend_pt/ASCEND_PROFILER_OUTPUT" + std::string(below)));
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_EQ(found->profiles.size(), 1u);
    EXPECT_EQ(found->profiles[0].rank, 7) << below;
    EXPECT_EQ(found->profiles[0].profiler_info.filename(), "profiler_info_7.json") << below;
  }
}

TEST_F(Discover, KnowsTheRanksOfDatabasesThatWereWrittenToAnotherFolder) {
  touch("out/b_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db");
  touch("out/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db");
  const auto found = find("out");
  EXPECT_THAT(names(found), ElementsAre("out/b_ascend_pt", "out/a_ascend_pt"));
  EXPECT_EQ(found.profiles[0].rank, 0);
  EXPECT_EQ(found.profiles[1].rank, 1);
}

TEST_F(Discover, LeavesOutResultsInTheMaking) {
  touch("gpu/worker.pt.trace.json");
  touch("gpu/npuprof.partial-12/new/half.json.gz");
  EXPECT_THAT(names(find()), ElementsAre("gpu/worker.pt.trace.json"));
}

TEST_F(Discover, TakesGatheredDatabasesAndTimelinesOneByOne) {
  touch("all/ascend_pytorch_profiler_0.db");
  touch("all/ascend_pytorch_profiler_1.db");
  touch("gpu/worker.pt.trace.json");
  touch("gpu/rank-1.json.gz");
  touch("gpu/notes.json");
  const auto found = find();
  EXPECT_THAT(names(found),
              ElementsAre("all/ascend_pytorch_profiler_0.db", "all/ascend_pytorch_profiler_1.db",
                          "gpu/rank-1.json.gz", "gpu/worker.pt.trace.json"));
  EXPECT_EQ(found.profiles[1].rank, 1);
  EXPECT_EQ(found.profiles[1].kind, ProfileKind::kResultDatabase);
  EXPECT_EQ(found.profiles[2].kind, ProfileKind::kChromeTrace);
}

TEST_F(Discover, ResultsAreForWhenThereIsNoRawData) {
  touch("PROF_000001_1_A/host/info.json");
  touch("PROF_000002_1_B/mindstudio_profiler_output/msprof_20250101000000.json");
  touch("run/ascend_pytorch_profiler_3.db");
  auto found = find();
  ASSERT_EQ(found.profiles.size(), 3u);
  auto preferred = found;
  preferred.prefer_raw_data();
  ASSERT_EQ(preferred.profiles.size(), 1u);
  EXPECT_TRUE(preferred.profiles[0].is_cann_only());
  EXPECT_EQ(preferred.notices.size(), 2u) << "what is left out is said";
  std::erase_if(found.profiles, [](const Profile& profile) { return profile.has_raw_data(); });
  found.prefer_raw_data();
  EXPECT_EQ(found.profiles.size(), 2u);
  EXPECT_FALSE(found.profiles[0].is_cann_only()) << found.profiles[0].path;
  EXPECT_TRUE(found.profiles[1].is_cann_only()) << found.profiles[1].path;
}

TEST_F(Discover, LeavesOutEarlierResultsOfTheSameRunWithoutAWord) {
  touch("host_1_2025_ascend_pt/FRAMEWORK/torch.op_range");
  touch("results/host_1_2025_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
  auto found = find();
  ASSERT_EQ(found.profiles.size(), 2u);
  found.prefer_raw_data();
  EXPECT_EQ(found.profiles.size(), 1u);
  EXPECT_THAT(found.notices, IsEmpty());
}

TEST_F(Discover, FindsProfilesHoweverDeep) {
  touch("1/2/3/4/5/6/7/8/9/PROF_000001_1_A/host/info.json");
  EXPECT_EQ(find().profiles.size(), 1u);
}

TEST_F(Discover, ExplainsWhatItExpected) {
  const auto missing = discover(directory_ / "nothing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);

  const auto empty = discover(directory_.path());
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(empty.error().message, HasSubstr("_ascend_pt"));

  touch("notes.txt");
  const auto text = discover(directory_ / "notes.txt");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kUnsupported);

  touch("z_ascend_pt/readme.txt");
  const auto hollow = discover(directory_.path());
  ASSERT_FALSE(hollow.ok());
  EXPECT_THAT(hollow.error().message, HasSubstr("z_ascend_pt was left out"));
}

}  // namespace
}  // namespace npuprof::load
