#include "load/input_data.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;

class InputData : public ::testing::Test {
 protected:
  void file(const std::string& name, std::string_view content = "12345") {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(write_file(folder_ / name, content).ok());
  }
  Profile profile(const std::string& name) { return discover(folder_ / name)->profiles.at(0); }
  bool in_the_way(const Profile& profile, const std::string& name) {
    return is_in_the_way_of(profile, folder_ / name);
  }

  TemporaryDirectory folder_;
};

TEST_F(InputData, RawDataOfAFramework) {
  file("x_ascend_pt/FRAMEWORK/torch.op_range");
  file("x_ascend_pt/PROF_1/host/data/slice");
  file("x_ascend_pt/PROF_1/device_0/data/slice");
  file("x_ascend_pt/profiler_info_0.json");
  file("x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
  const Profile found = profile("x_ascend_pt");
  EXPECT_EQ(input_bytes(found), 4 * 5u);
  for (const char* place :
       {"x_ascend_pt/FRAMEWORK/torch.op_range", "x_ascend_pt/FRAMEWORK/new.json",
        "x_ascend_pt/FRAMEWORK/out/x_ascend_pt/ASCEND_PROFILER_OUTPUT", "x_ascend_pt/FRAMEWORK",
        "x_ascend_pt/PROF_1/host/new.json", "x_ascend_pt/PROF_1/device_0/data/slice",
        "x_ascend_pt/profiler_info_0.json", "x_ascend_pt/npuprof_recorder.json", "x_ascend_pt",
        ""}) {
    EXPECT_TRUE(in_the_way(found, place)) << place;
  }
  for (const char* place :
       {"x_ascend_pt/ASCEND_PROFILER_OUTPUT", "x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
        "x_ascend_pt/new.json", "out/x_ascend_pt/ASCEND_PROFILER_OUTPUT",
        "x_ascend_pt/FRAMEWORK_2/new.json"}) {
    EXPECT_FALSE(in_the_way(found, place)) << place;
  }
}

TEST_F(InputData, ResultsLieAmongFilesOfOldMindSpore) {
  file("data/profiler/host_info/host_info_0.csv");
  file("data/profiler/pipeline_profiling_0.json");
  const Profile found = profile("data");
  for (const char* place : {"data/profiler/host_info/new.csv", "data/profiler/host_info",
                            "data/profiler/pipeline_profiling_0.json", "data/profiler"}) {
    EXPECT_TRUE(in_the_way(found, place)) << place;
  }
  EXPECT_FALSE(in_the_way(found, "data/profiler/ASCEND_PROFILER_OUTPUT"));
}

TEST_F(InputData, LinksAreSeenThrough) {
  file("x_ascend_pt/FRAMEWORK/torch.op_range");
  fs::create_directory_symlink(folder_ / "x_ascend_pt", folder_ / "link");
  EXPECT_TRUE(in_the_way(profile("x_ascend_pt"), "link/FRAMEWORK/new.json"));
  EXPECT_TRUE(in_the_way(profile("link"), "x_ascend_pt/FRAMEWORK/new.json"));
}

TEST_F(InputData, ResultsOfCannGoIntoItsDirectory) {
  file("PROF_1/host/data/slice");
  const Profile found = profile("PROF_1");
  EXPECT_FALSE(in_the_way(found, "PROF_1/mindstudio_profiler_output"));
  EXPECT_TRUE(in_the_way(found, "PROF_1/host"));
}

TEST_F(InputData, ResultsThatAreRead) {
  file("results/trace_view.json");
  file("results/kernel_details.csv");
  file("results/stacks.log");
  const Profile tables = profile("results");
  EXPECT_EQ(input_bytes(tables), 3 * 5u);
  EXPECT_TRUE(in_the_way(tables, "results/trace_view.json"));
  EXPECT_TRUE(in_the_way(tables, "results"));
  EXPECT_FALSE(in_the_way(tables, "results/stacks.log"));
  EXPECT_FALSE(in_the_way(tables, "results/new.json"));

  file("db/ascend_pytorch_profiler_0.db");
  const Profile database = profile("db/ascend_pytorch_profiler_0.db");
  EXPECT_EQ(input_bytes(database), 5u);
  EXPECT_TRUE(in_the_way(database, "db/ascend_pytorch_profiler_0.db"));
  EXPECT_FALSE(in_the_way(database, "db/trace.json"));

  file("alone/my.json");
  EXPECT_TRUE(in_the_way(profile("alone/my.json"), "alone/my.json"));
}

}  // namespace
}  // namespace npuprof::load
