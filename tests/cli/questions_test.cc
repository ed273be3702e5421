// Commands that ask about profiles: compare, gate, sql, mcp, and every mode of analyze.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "answers/mode.h"
#include "base/file.h"
#include "cli/program.h"
#include "sim/workload/job.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class QuestionPrograms : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory();
    sim::JobOptions job{.workload = sim::Workload::kToy,
                        .output = *directory_ / "base",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 1,
                        .steps = 5};
    job.framework.with_stack = true;
    job.framework.profile_memory = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    job.output = *directory_ / "two";
    job.ranks = 2;
    job.parallel.data = 2;
    ASSERT_TRUE(sim::run_job(job).ok());
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }

  static std::string base() { return (*directory_ / "base").native(); }
  static std::string two() { return (*directory_ / "two").native(); }
  static fs::path in(const std::string& name) { return *directory_ / name; }
  static ProgramResult run(const std::vector<std::string>& arguments) {
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
  }

  static TemporaryDirectory* directory_;
};
TemporaryDirectory* QuestionPrograms::directory_ = nullptr;

// What `analyze` says if the mode has no data.
std::string advice_of(const answers::Mode& mode) {
  return fmt::format("{} needs {}. To collect it: {}", mode.name, mode.needs, mode.collect);
}

TEST_F(QuestionPrograms, EveryModeAnswersOrSaysWhatItNeeds) {
  ASSERT_EQ(run({"parse", base(), "--export", "text,db", "-o", in("results").native()}).status, 0);
  for (const std::string& path : {base(), in("results").native()}) {
    for (const answers::Mode* mode : answers::all_modes()) {
      const ProgramResult result =
          run({"analyze", "-m", std::string(mode->name), "-d", path, "--format", "json"});
      EXPECT_THAT(result.status, AnyOf(0, 3)) << mode->name << result.errors;
      if (result.status == 0) {
        EXPECT_TRUE(json::parse(result.output).contains("tables")) << mode->name;
      } else {
        EXPECT_THAT(result.errors, HasSubstr(advice_of(*mode)));
      }
    }
  }
}

// Timelines that have a kernel alone, an operator alone and a call alone: each mode lacks something
// in one of them.
TEST_F(QuestionPrograms, MissingDataGivesAdviceAndItsOwnStatus) {
  const std::vector<std::pair<std::string, std::string>> timelines = {
      {"kernel.json", R"("cat":"kernel","name":"gemm","args":{"device":0,"stream":7})"},
      {"operator.json", R"("cat":"cpu_op","name":"aten::mm")"},
      {"call.json", R"("cat":"cuda_runtime","name":"cudaLaunchKernel")"}};
  for (const auto& [name, event] : timelines) {
    const std::string text =
        R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1000,"dur":10,)" + event + "}]}";
    ASSERT_TRUE(write_file(in(name), text).ok());
  }
  for (const answers::Mode* mode : answers::all_modes()) {
    int refusals = 0;
    for (const auto& [name, event] : timelines) {
      const ProgramResult result =
          run({"analyze", "-m", std::string(mode->name), "-d", in(name).native()});
      EXPECT_THAT(result.status, AnyOf(0, 3)) << mode->name << " " << name << result.errors;
      if (result.status != 3) continue;
      ++refusals;
      EXPECT_THAT(result.errors, HasSubstr(advice_of(*mode))) << name;
      EXPECT_EQ(result.output, "") << mode->name << " " << name;
    }
    EXPECT_GT(refusals, 0) << mode->name;
  }
}

// What is printed as JSON is in the text file and in the database, row by row.
TEST_F(QuestionPrograms, HeadOverheadIsAFileAndATable) {
  const std::string job = in("graphs").native();
  sim::JobOptions options{.workload = sim::Workload::kGraphMode,
                          .output = job,
                          .chip = *sim::find_chip("Ascend910B3"),
                          .steps = 3};
  options.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 3};
  ASSERT_TRUE(sim::run_job(options).ok());
  const ProgramResult shown =
      run({"analyze", "-m", "head_overhead", "-d", job, "--format", "json"});
  ASSERT_EQ(shown.status, 0) << shown.errors;
  const json rows = json::parse(shown.output)["tables"]["head_overhead"];
  ASSERT_EQ(rows.size(), 6U) << "two graphs in each step";
  const fs::path out = in("graphs_out");
  for (const char* type : {"text", "db"}) {
    const ProgramResult written = run(
        {"analyze", "-m", "head_overhead", "-d", job, "-o", out.native(), "--export_type", type});
    ASSERT_EQ(written.status, 0) << written.errors;
  }
  const fs::path folder = out / "cluster_analysis_output";
  const std::string text = read_file(folder / "head_overhead" / "head_overhead.csv").value();
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), rows.size() + 1);
  EXPECT_THAT(text, HasSubstr("TorchAir Python"));
  const auto stored = npuprof::testing::run_shell(
      "python3 -c \"import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("
      "'select count(*), sum(head_ns) from HeadOverhead').fetchone())\" " +
      npuprof::testing::shell_quoted((folder / "cluster_analysis.db").native()));
  std::int64_t head_ns = 0;
  for (const json& row : rows)
    head_ns += row["head_ns"].is_null() ? 0 : row["head_ns"].get<std::int64_t>();
  EXPECT_EQ(stored.output, fmt::format("({}, {})\n", rows.size(), head_ns)) << stored.errors;
}

TEST_F(QuestionPrograms, AdviceIsWrittenAsAPage) {
  const ProgramResult result = run({"analyze", "advisor", "all", "-d", base(), "-o",
                                    in("advice").native(), "--export_type", "html"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto page = read_file(in("advice") / "cluster_analysis_output" / "advisor.html");
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("</html>"));
  EXPECT_EQ(run({"analyze", "-m", "idle", "-d", base(), "--export_type", "html"}).status, 2);
}

TEST_F(QuestionPrograms, AProfilePassesTheGateBesideItself) {
  const fs::path report = in("gate.xml");
  const ProgramResult result = run({"gate", base(), base(), "--base-step", "2-6", "--step", "2-6",
                                    "--max-regression", "5%", "--junit", report.native()});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Passed"));
  EXPECT_THAT(read_file(report).value(), HasSubstr("failures=\"0\""));
}

TEST_F(QuestionPrograms, LimitsOfTheGateMustBeShares) {
  const ProgramResult result = run({"gate", base(), two(), "--max-regression", "much"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("5%"));
  const ProgramResult times = run({"gate", base(), two(), "--max-regression", "5"});
  EXPECT_EQ(times.status, 2) << "500 %, or 5 %?";
  EXPECT_THAT(times.errors, HasSubstr("write 5% or 0.05"));
}

// Of a server that reads the file of the last run.
TEST_F(QuestionPrograms, AGateThatCannotJudgeSaysSoInItsFileToo) {
  const fs::path report = in("unjudged.xml");
  const auto expect_error = [&](const std::string& other, std::string_view reason) {
    SCOPED_TRACE(other);
    ASSERT_TRUE(write_file(report, "of the last run").ok());
    const ProgramResult result = run({"gate", base(), other, "--junit", report.native()});
    EXPECT_EQ(result.status, 3) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(reason));
    const std::string xml = read_file(report).value();
    EXPECT_THAT(xml, HasSubstr("errors=\"1\""));
    EXPECT_THAT(xml, HasSubstr("<error "));
    EXPECT_THAT(xml, HasSubstr(reason));
    EXPECT_THAT(xml, HasSubstr("</testsuites>"));
  };
  expect_error(in("nowhere").native(), "nowhere");
  sim::JobOptions model{.workload = sim::Workload::kTransformer,
                        .output = in("model"),
                        .chip = *sim::find_chip("Ascend910B3"),
                        .steps = 5};
  model.transformer = {.layers = 1, .hidden = 128, .heads = 4, .sequence = 64, .vocabulary = 256};
  ASSERT_TRUE(sim::run_job(model).ok());
  expect_error(model.output.native(), "has no partner");
}

TEST_F(QuestionPrograms, TheRankOfASingleProfileNeedNotBeKnown) {
  ASSERT_EQ(run({"parse", base(), "--export", "text", "-o", in("timeline").native()}).status, 0);
  fs::path trace;
  for (const auto& entry : fs::recursive_directory_iterator(in("timeline"))) {
    if (entry.path().filename() == "trace_view.json") trace = entry.path();
  }
  ASSERT_FALSE(trace.empty());
  fs::create_directories(in("alone"));
  fs::copy_file(trace, in("alone") / "gpu.json");
  const std::string alone = (in("alone") / "gpu.json").native();
  const ProgramResult one = run({"compare", alone, two(), "--rank", "1"});
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(run({"analyze", "-m", "kernels", "-d", alone, "--rank", "0"}).status, 0);
  const ProgramResult both = run({"analyze", "-m", "kernels", "-d", alone, "--rank", "0,1"});
  EXPECT_EQ(both.status, 3);
  EXPECT_THAT(both.errors, HasSubstr("no profile of rank 0"));
}

// The pause between two steps is behind the last kernel of the first.
TEST_F(QuestionPrograms, AStepAloneIsExplainedAsInTheWholeProfile) {
  const auto causes = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"analyze", "-m", "idle", "-d", base(), "--format", "json"});
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    json rows = json::array();
    const json answer = json::parse(result.output);
    for (const json& row : answer["tables"]["idle"]) {
      if (row["step"] == 3) rows.push_back(row);
    }
    return rows;
  };
  const json whole = causes({});
  EXPECT_GT(whole.size(), 5U);
  EXPECT_EQ(causes({"--step", "3"}), whole);
}

TEST_F(QuestionPrograms, WrongValuesOfOptionsAreWrongArguments) {
  const std::vector<std::vector<std::string>> wrong = {
      {"op_statistic", "--by", "foo"},       {"kernels", "--by", "foo"},
      {"kernels", "--with", "foo"},          {"operator_mfu", "--peak-tflops", "abc"},
      {"advisor", "--silence", "nosuch"},    {"serving", "--iterations", "30..20"},
      {"kernels", "--iterations", "30..20"}, {"kernels", "--top", "-1"},
      {"step_time", "--name", "(a"},         {"kernels", "--sort", "nothing"},
  };
  for (const auto& one : wrong) {
    const ProgramResult result = run({"analyze", "-m", one[0], "-d", two(), one[1], one[2]});
    EXPECT_EQ(result.status, 2) << one[0] << one[1] << result.output << result.errors;
    EXPECT_FALSE(result.errors.empty());
  }
  for (const char* mode : {"idle", "kernels"}) {
    EXPECT_EQ(run({"analyze", "-m", mode, "-d", base(), "--step", "1000"}).status, 3) << mode;
  }
}

TEST_F(QuestionPrograms, ANameThatNothingMatchesIsSaid) {
  const ProgramResult none = run({"analyze", "-m", "kernels", "-d", base(), "--name", "zzzz"});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.output, HasSubstr("Nothing matches \"zzzz\"."));
  EXPECT_THAT(none.output, HasSubstr("About everything, not only what matches"));
  const ProgramResult some =
      run({"analyze", "-m", "kernels", "-d", base(), "--name", "(?i)MATMUL"});
  EXPECT_THAT(some.output, HasSubstr("MatMulV3"));
}

TEST_F(QuestionPrograms, SqlTellsMissingDataFromWrongStatements) {
  const ProgramResult lacking = run({"sql", base(), "select * from answer_serving"});
  EXPECT_EQ(lacking.status, 3) << lacking.errors;
  EXPECT_EQ(run({"sql", base(), "select * from answer_nothing"}).status, 2);
  EXPECT_EQ(run({"sql", base(), ".schema answer_serving"}).status, 3);
  const ProgramResult schema = run({"sql", base(), ".schema"});
  EXPECT_EQ(schema.status, 2);
  EXPECT_THAT(schema.errors, HasSubstr(".schema NAME"));
}

TEST_F(QuestionPrograms, OneProfileIsComparedWithOne) {
  const ProgramResult many = run({"compare", base(), two()});
  EXPECT_EQ(many.status, 2);
  EXPECT_THAT(many.errors, HasSubstr("--rank"));
  EXPECT_EQ(run({"compare", base()}).status, 2);
  const ProgramResult chosen = run({"compare", base(), two(), "--rank", "1", "--base-rank", "0"});
  EXPECT_EQ(chosen.status, 0) << chosen.errors;
  EXPECT_THAT(chosen.output, HasSubstr("Overall"));
}

TEST_F(QuestionPrograms, ComparisonsSayWhichPartOfTheStepChanged) {
  sim::JobOptions job{.workload = sim::Workload::kToy,
                      .output = in("host_bound"),
                      .chip = *sim::find_chip("Ascend910B3"),
                      .ranks = 1,
                      .steps = 5};
  job.faults.host_bound = true;
  ASSERT_TRUE(sim::run_job(job).ok());
  const ProgramResult result = run({"compare", base(), job.output.native()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Of its parts Free Time changed most: +"));
}

// A kernel that got faster by a little is no reason for an operator that got slower by much.
TEST_F(QuestionPrograms, ReasonsOfADifferenceGoItsWay) {
  sim::JobOptions job{.workload = sim::Workload::kToy,
                      .output = in("slow_kernel"),
                      .chip = *sim::find_chip("Ascend910B3"),
                      .ranks = 1,
                      .steps = 5};
  job.faults.slow_kernels = {{"MatMulV3", 3}};
  ASSERT_TRUE(sim::run_job(job).ok());
  const ProgramResult result = run({"compare", base(), job.output.native(), "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  std::size_t reasons = 0;
  const json answer = json::parse(result.output);
  for (const char* const table : {"operators", "modules"}) {
    for (const json& row : answer["tables"][table]) {
      if (!row["kernels"].is_string()) continue;
      const auto text = row["kernels"].get<std::string>();
      ++reasons;
      const bool is_slower = row["difference_ns"].get<double>() > 0;
      EXPECT_EQ(text.find(is_slower ? " -" : " +"), std::string::npos) << row;
    }
  }
  EXPECT_GT(reasons, 0U);
}

TEST_F(QuestionPrograms, ComparisonsTakeTheArgumentsOfMsprofAnalyze) {
  const ProgramResult result =
      run({"analyze", "compare", "-d", base(), "-bp", base(), "--base_step", "2",
           "--comparison_step", "3", "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(json::parse(result.output)["mode"], "compare");
}

TEST_F(QuestionPrograms, ArgumentsOfMsprofAnalyzeThatChooseNothingAreTakenAndTold) {
  const ProgramResult compared =
      run({"analyze", "compare", "-d", base(), "-bp", base(), "--enable_kernel_compare",
           "--max_kernel_num", "20", "--use_input_shape", "--op_name_map={}"});
  EXPECT_EQ(compared.status, 0) << compared.errors;
  EXPECT_THAT(compared.errors, HasSubstr("--max-kernel-num changes nothing"));
  const ProgramResult advised = run({"analyze", "advisor", "all", "-d", base(), "-cv", "8.0.0",
                                     "-tv", "2.1.0", "-pt", "pytorch", "-l", "en"});
  EXPECT_EQ(advised.status, 0) << advised.errors;
  const ProgramResult few = run({"analyze", "cluster", "-m", "op_statistic", "-d", base(),
                                 "--top_num", "2", "--agent", "--format", "json"});
  ASSERT_EQ(few.status, 0) << few.errors;
  const json answer = json::parse(few.output);
  for (const auto& [name, rows] : answer["tables"].items()) {
    EXPECT_LE(rows.size(), 2U) << name;
  }
  EXPECT_EQ(run({"analyze", "-V"}).output, run({"--version"}).output);
}

TEST_F(QuestionPrograms, SqlCountsWhatTheProfileHas) {
  const ProgramResult result =
      run({"sql", base(), "select count(*) as n from kernels", "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_GT(json::parse(result.output)[0]["n"].get<int>(), 0);
  const ProgramResult wrong = run({"sql", base(), "select x from nowhere"});
  EXPECT_NE(wrong.status, 0);
  EXPECT_THAT(wrong.errors, HasSubstr("nowhere"));
  EXPECT_NE(run({"sql", base(), "create table t(x)"}).status, 0);
}

// The times of calls add up to what the mode says of modules: two ways to the same sums.
TEST_F(QuestionPrograms, SqlKnowsModules) {
  const std::string job = in("modules").native();
  sim::JobOptions options{.workload = sim::Workload::kTransformer,
                          .output = job,
                          .chip = *sim::find_chip("Ascend910B3"),
                          .steps = 2};
  options.transformer = {
      .layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  options.collection.mstx = true;
  ASSERT_TRUE(sim::run_job(options).ok());
  const ProgramResult rows =
      run({"sql", job,
           "select sum(device_self_ns) as self, sum(case when depth = 1 then device_ns end)"
           " as top, count(distinct step) as steps, sum(parent_row is null) as roots"
           " from module",
           "--format", "json"});
  ASSERT_EQ(rows.status, 0) << rows.errors;
  const json sums = json::parse(rows.output)[0];
  EXPECT_GT(sums["self"].get<std::int64_t>(), 0);
  EXPECT_EQ(sums["self"], sums["top"])
      << "what modules do themselves is all that the outer ones do";
  EXPECT_EQ(sums["steps"], 2);
  EXPECT_EQ(sums["roots"], 2) << "one call of the model a step";
  const ProgramResult both =
      run({"sql", job,
           "select (select sum(device_self_ns) from module) - (select sum(self_ns) from "
           "answer_module_statistic where module not like '(%') as difference",
           "--format", "json"});
  ASSERT_EQ(both.status, 0) << both.errors;
  EXPECT_EQ(json::parse(both.output)[0]["difference"], 0);
}

TEST_F(QuestionPrograms, LanguageModelsGetAnswersLineByLine) {
  const std::string lines =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
      R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
no json
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"step_time","arguments":{}}}
)";
  ASSERT_TRUE(write_file(in("lines"), lines).ok());
  const ProgramResult result = npuprof::testing::run_shell(
      "cat " + npuprof::testing::shell_quoted(in("lines").native()) + " | " +
      npuprof::testing::shell_line(NPUPROF_PROGRAM, {"mcp", base()}));
  EXPECT_EQ(result.status, 0) << result.errors;
  std::vector<json> answers;
  std::istringstream stream(result.output);
  for (std::string line; std::getline(stream, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[1]["error"]["code"], -32700);
  EXPECT_GT(answers[2]["result"]["tools"].size(), 14U);
  EXPECT_EQ(answers[3]["result"]["isError"], false);
}

}  // namespace
}  // namespace npuprof
