// `npuprof dynamic`, the program itself.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/program.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DynamicProgram : public ::testing::Test {
 protected:
  ProgramResult dynamic(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"dynamic", directory_.path().native()});
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
  }
  fs::path file() const { return directory_ / "profiler_config.json"; }
  json written() const { return json::parse(read_file(file()).value()); }
  void put(const std::string& text) const { ASSERT_TRUE(write_file(file(), text).ok()); }

  TemporaryDirectory directory_;
};

TEST_F(DynamicProgram, WritesWhatIsAskedFor) {
  const ProgramResult done = dynamic({"--start-step",
                                      "7",
                                      "--active",
                                      "2",
                                      "--warmup=1",
                                      "-o",
                                      "/tmp/x/../out",
                                      "--level",
                                      "Level1",
                                      "--aic-metrics",
                                      "Memory",
                                      "--with-stack",
                                      "--mstx",
                                      "--host-sys",
                                      "cpu,mem",
                                      "--ranks",
                                      "0,3",
                                      "--export",
                                      "text,db",
                                      "--gc_threshold",
                                      "0.5",
                                      "--metadata",
                                      "a=b=c",
                                      "--metadata",
                                      "d=",
                                      "--analyse"});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("1 step of warm-up and 2 steps from step 7 on"));
  EXPECT_THAT(done.output, HasSubstr("chosen ranks parse only with --async-mode"));
  EXPECT_THAT(done.errors, HasSubstr("no job may be listening"));
  EXPECT_EQ(written(), json::parse(R"({
    "start_step": 7, "active": 2, "warmup": 1, "prof_dir": "/tmp/out", "analyse": true,
    "with_stack": true, "is_rank": true, "rank_list": [0, 3], "metadata": {"a": "b=c", "d": ""},
    "experimental_config": {"profiler_level": "Level1", "aic_metrics": "Memory", "mstx": true,
                            "host_sys": ["cpu", "mem"], "export_type": ["text", "db"],
                            "gc_detect_threshold": 0.5}})"));
}

TEST_F(DynamicProgram, TheRestOfTheFileStays) {
  put(R"({"start_step": 5, "active": 9, "with_stack": true, "unknown": [1],
          "experimental_config": {"profiler_level": "Level2"}})");
  const ProgramResult done = dynamic({"--with-stack=off", "--l2-cache"});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_THAT(done.errors, IsEmpty());
  EXPECT_THAT(done.output, HasSubstr(": 9 steps from the next one on"));
  EXPECT_THAT(done.output, HasSubstr("The result is not parsed: use npuprof parse, or --analyse"));
  EXPECT_EQ(written(), json::parse(R"({
    "start_step": -1, "active": 9, "with_stack": false, "unknown": [1],
    "experimental_config": {"profiler_level": "Level2", "l2_cache": true}})"));
  EXPECT_EQ(dynamic({"--from-defaults", "--active", "1"}).status, 0);
  EXPECT_EQ(written(), json::parse(R"({"start_step": -1, "active": 1})"));
}

TEST_F(DynamicProgram, SaysNothingOfAParseThatIsAsOneExpects) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--analyse"}, {"--ranks", "1", "--analyse", "--async-mode"}}) {
    const ProgramResult done = dynamic(arguments);
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_THAT(done.output, Not(HasSubstr("not parsed")));
  }
}

TEST_F(DynamicProgram, OperationsNeedNoMarkers) {
  EXPECT_EQ(dynamic({"--with-flops"}).status, 0);
  EXPECT_EQ(written()["with_flops"], true);
}

TEST_F(DynamicProgram, KeepsTheModeAndLeavesNothingElse) {
  put("{}");
  ASSERT_EQ(::chmod(file().c_str(), 0664), 0);
  EXPECT_EQ(dynamic({}).status, 0);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0664u);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 1);
}

TEST_F(DynamicProgram, AFileThatMakesNoSenseIsReplaced) {
  for (const char* const text : {"", "{\"active\": ", "[1, 2]"}) {
    put(text);
    const ProgramResult done = dynamic({"--active", "3"});
    EXPECT_EQ(done.status, 0);
    EXPECT_THAT(done.errors, HasSubstr("is no JSON object")) << text;
    EXPECT_EQ(written(), json::parse(R"({"start_step": -1, "active": 3})"));
  }
  put(R"({"active": "many", "experimental_config": 3, "metadata": []})");
  EXPECT_EQ(dynamic({"--mstx", "--metadata", "a=b"}).status, 0);
  EXPECT_EQ(written()["experimental_config"], json::parse(R"({"mstx": true})"));
  EXPECT_EQ(written()["metadata"], json::parse(R"({"a": "b"})"));
}

TEST_F(DynamicProgram, WrongArguments) {
  const auto complaint = [&](const std::vector<std::string>& arguments) {
    const ProgramResult done = dynamic(arguments);
    EXPECT_EQ(done.status, 2) << done.errors;
    EXPECT_FALSE(fs::exists(file()));
    return done.errors;
  };
  EXPECT_THAT(complaint({"--start-step", "0"}), HasSubstr("-1 is the next step"));
  EXPECT_THAT(complaint({"--start-step", "-2"}), HasSubstr("--start-step"));
  EXPECT_THAT(complaint({"--active", "0"}), HasSubstr("at least 1"));
  EXPECT_THAT(complaint({"--warmup", "-1"}), HasSubstr("at least 0"));
  EXPECT_THAT(complaint({"--level", "Level3"}), HasSubstr("Level3"));
  EXPECT_THAT(complaint({"--aic-metrics", "Memory"}), HasSubstr("Level1 or Level2"));
  EXPECT_THAT(complaint({"--mstx=maybe"}), HasSubstr("neither on nor off"));
  EXPECT_THAT(complaint({"--mstx-domain-include", "a"}), HasSubstr("--mstx"));
  EXPECT_THAT(complaint({"--mstx", "--mstx-domain-include=a", "--mstx-domain-exclude=b"}),
              HasSubstr("cannot be combined"));
  EXPECT_THAT(complaint({"--op-attr"}), HasSubstr("--export text,db"));
  EXPECT_THAT(complaint({"--metadata", "novalue"}), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(complaint({"--host-sys", "cpu,gpu"}), HasSubstr("gpu"));
  EXPECT_THAT(complaint({"--activities", "TPU"}), HasSubstr("TPU"));
  EXPECT_THAT(complaint({"--ranks", "-1"}), HasSubstr("ranks"));
  EXPECT_THAT(complaint({"--nonsense"}), HasSubstr("--nonsense"));
}

TEST_F(DynamicProgram, NoDirectoryNoFile) {
  const auto run = [](const fs::path& path) {
    return npuprof::testing::run_program(NPUPROF_PROGRAM, {"dynamic", path.native()});
  };
  const ProgramResult missing = run(directory_ / "missing");
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.errors, HasSubstr("PROF_CONFIG_PATH"));
  EXPECT_FALSE(fs::exists(directory_ / "missing"));

  fs::create_symlink("elsewhere", file());
  const ProgramResult linked = dynamic({});
  EXPECT_EQ(linked.status, 3);
  EXPECT_THAT(linked.errors, HasSubstr("symbolic link"));
  EXPECT_TRUE(fs::is_symlink(file()));
}

}  // namespace
}  // namespace npuprof
