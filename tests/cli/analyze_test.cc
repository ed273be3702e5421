// `npuprof analyze`, the program itself.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "sim/workload/job.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;

class AnalyzeProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory();
    sim::JobOptions job{.workload = sim::Workload::kToy,
                        .output = *directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 2,
                        .steps = 3};
    job.parallel.data = 2;
    ASSERT_TRUE(sim::run_job(job).ok());
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }

  static std::string job() { return (*directory_ / "job").native(); }
  static fs::path in(const std::string& name) { return *directory_ / name; }
  static ProgramResult analyze(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "analyze");
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
  }
  static std::set<std::string> files_below(const fs::path& folder) {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(folder).native());
    }
    return files;
  }

  static TemporaryDirectory* directory_;
};
TemporaryDirectory* AnalyzeProgram::directory_ = nullptr;

TEST_F(AnalyzeProgram, PrintsATableWithARankForEachProfileAndWritesNothing) {
  const auto before = files_below(directory_->path());
  const ProgramResult result = analyze({"-m", "step_time", "-d", job()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Rank  Device  Step  Total (ms)"));
  EXPECT_THAT(result.output, HasSubstr("simulated"));
  EXPECT_EQ(files_below(directory_->path()), before);
}

TEST_F(AnalyzeProgram, JsonHasExactNumbersThatAddUp) {
  const ProgramResult result = analyze({"-m", "step_time", "-d", job(), "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto rows = json::parse(result.output)["tables"]["step_time"];
  ASSERT_EQ(rows.size(), 6U);
  for (const auto& row : rows) {
    EXPECT_EQ(row["total_ns"].get<std::int64_t>(),
              row["computing_ns"].get<std::int64_t>() +
                  row["not_overlapped_ns"].get<std::int64_t>() +
                  row["free_ns"].get<std::int64_t>());
  }
}

TEST_F(AnalyzeProgram, RanksStepsAndRowsAreChosenAsUsersOfMsprofAnalyzeAreUsedTo) {
  const ProgramResult result = analyze({"-m", "step_time", "-d", job(), "--rank_list", "1",
                                        "--step_id", "3", "--format", "json", "--force"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto rows = json::parse(result.output)["tables"]["step_time"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["step"], 3);
  EXPECT_EQ(rows[0]["device"], 1);
}

TEST_F(AnalyzeProgram, WritesFilesWhereItIsTold) {
  const struct {
    std::string type;
    std::string file;
  } cases[] = {{"text", "cluster_analysis_output/step_time/step_time.csv"},
               {"db", "cluster_analysis_output/cluster_analysis.db"},
               {"xlsx", "cluster_analysis_output/step_time.xlsx"},
               {"json", "cluster_analysis_output/step_time.json"}};
  for (const auto& one : cases) {
    const ProgramResult result =
        analyze({"-m", "step_time", "-d", job(), "-o", in("out_" + one.type).native(),
                 "--export_type", one.type});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("Written: "));
    EXPECT_EQ(files_below(in("out_" + one.type)), std::set<std::string>{one.file});
  }
}

TEST_F(AnalyzeProgram, WrongArgumentsAreToldWithWhatWouldBeRight) {
  EXPECT_THAT(analyze({"-m", "nothing", "-d", job()}).errors, HasSubstr("step_time"));
  EXPECT_EQ(analyze({"-m", "nothing", "-d", job()}).status, 2);
  EXPECT_EQ(analyze({"-m", "step_time"}).status, 2);
  EXPECT_EQ(analyze({"-d", job()}).status, 2);
  EXPECT_EQ(analyze({"-m", "step_time", "-d", job(), "--export_type", "notebook"}).status, 2);
  const ProgramResult sorted = analyze({"-m", "step_time", "-d", job(), "--sort", "weight"});
  EXPECT_EQ(sorted.status, 2);
  EXPECT_THAT(sorted.errors, HasSubstr("computing"));
}

TEST_F(AnalyzeProgram, RanksStepsAndPathsThatAreNotThereAreErrors) {
  EXPECT_EQ(analyze({"-m", "step_time", "-d", in("no").native()}).status, 3);
  const ProgramResult rank = analyze({"-m", "step_time", "-d", job(), "--rank", "7"});
  EXPECT_EQ(rank.status, 3);
  EXPECT_THAT(rank.errors, HasSubstr("0, 1"));
  const ProgramResult step = analyze({"-m", "step_time", "-d", job(), "--step", "77"});
  EXPECT_EQ(step.status, 3);
  EXPECT_THAT(step.errors, HasSubstr("steps"));
}

TEST_F(AnalyzeProgram, TakesTheCommandsOfMsprofAnalyzeAndItsName) {
  const ProgramResult plain = analyze({"-m", "step_time", "-d", job()});
  EXPECT_EQ(analyze({"cluster", "-m", "step_time", "-d", job()}).output, plain.output);
  const fs::path link = in("msprof-analyze");
  fs::create_symlink(NPUPROF_PROGRAM, link);
  EXPECT_EQ(npuprof::testing::run_program(link.native(), {"-m", "step_time", "-d", job()}).output,
            plain.output);
  EXPECT_EQ(npuprof::testing::run_program(link.native(),
                                          {"cluster", "-m", "step_time", "--profiling_path", job()})
                .output,
            plain.output);
}

TEST_F(AnalyzeProgram, EveryModeExplainsItself) {
  const ProgramResult help = analyze({"--help"});
  EXPECT_EQ(help.status, 0);
  std::size_t modes = 0;
  for (const char* mode : {"step_time", "idle", "module_statistic", "operator_mfu", "head_overhead",
                           "host_lead", "op_statistic", "kernels", "api_statistic", "communication",
                           "memory", "python", "serving", "data_pipeline", "advisor"}) {
    EXPECT_THAT(help.output, HasSubstr(mode));
    const ProgramResult explained = analyze({"-m", mode, "--explain"});
    EXPECT_EQ(explained.status, 0) << mode << explained.errors;
    EXPECT_THAT(explained.output, HasSubstr("Needs:")) << mode;
    EXPECT_THAT(explained.output, HasSubstr("Collect:")) << mode;
    ++modes;
  }
  EXPECT_EQ(modes, 15U);
}

}  // namespace
}  // namespace npuprof
