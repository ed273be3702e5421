// `npuprof parse`, the program itself.

#include <fstream>
#include <map>
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
using ::testing::Not;

class ParseProgram : public ::testing::Test {
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

  // Profiles and CANN's part of them, by rank.
  static std::vector<fs::path> profiles() { return entries(*directory_ / "job", "_ascend_pt"); }
  static fs::path cann(const fs::path& profile) { return entries(profile, "PROF_").front(); }
  static std::vector<fs::path> entries(const fs::path& directory, const std::string& part) {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().filename().native().find(part) != std::string::npos) found.insert(entry);
    }
    return {found.begin(), found.end()};
  }
  // A copy of the first profile that a test may change.
  fs::path copied() const {
    const fs::path to = own_ / profiles().front().filename();
    fs::copy(profiles().front(), to, fs::copy_options::recursive);
    return to;
  }
  static ProgramResult run(const std::vector<std::string>& arguments) {
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
  }
  static ProgramResult parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "parse");
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
  }
  static std::set<std::string> names_in(const fs::path& directory) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) {
      names.insert(entry.path().filename());
    }
    return names;
  }
  static json read_json(const fs::path& path) { return json::parse(read_file(path).value()); }

  static TemporaryDirectory* directory_;
  TemporaryDirectory own_;
};

TemporaryDirectory* ParseProgram::directory_ = nullptr;

TEST_F(ParseProgram, WritesTextBelowTheChosenFolderAndTellsAboutIt) {
  const ProgramResult result = parse({(*directory_ / "job").native(), "-o", own_ / "out"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("computing"));
  EXPECT_THAT(result.output, HasSubstr(" %"));
  EXPECT_THAT(result.output, HasSubstr("  all "));
  EXPECT_THAT(result.output, HasSubstr("Losses: none"));
  EXPECT_THAT(result.output, HasSubstr("simulated NPU"));
  for (const fs::path& profile : profiles()) {
    const fs::path results = own_ / "out" / profile.filename() / "ASCEND_PROFILER_OUTPUT";
    EXPECT_THAT(result.output, HasSubstr(results.native()));
    EXPECT_TRUE(names_in(results).contains("trace_view.json"));
    EXPECT_TRUE(names_in(results).contains("kernel_details.csv"));
    EXPECT_FALSE(names_in(results).contains("trace_view.perfetto-trace"));
  }
}

TEST_F(ParseProgram, EveryKindOfResultCanBeChosenInEverySpelling) {
  const std::map<std::string, std::vector<std::string>> spellings{
      {"a", {"--export", "db,perfetto"}},
      {"b", {"--export=db", "--export=perfetto"}},
      {"c", {"--export_type", "db,perfetto"}},
      {"d", {"--export-type=db,perfetto"}},
      {"e", {"--type=db,perfetto"}}};
  for (const auto& [name, arguments] : spellings) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"-o", own_ / name, profiles().front(), "--quiet"});
    const ProgramResult result = parse(all);
    EXPECT_EQ(result.status, 0) << name << result.errors;
    EXPECT_EQ(result.output, "");
    const auto names =
        names_in(own_ / name / profiles().front().filename() / "ASCEND_PROFILER_OUTPUT");
    EXPECT_TRUE(names.contains("trace_view.perfetto-trace")) << name;
    EXPECT_TRUE(names.contains("ascend_pytorch_profiler_0.db")) << name;
    EXPECT_FALSE(names.contains("trace_view.json")) << name;
  }
}

TEST_F(ParseProgram, TheArgumentsOfAnalyseAreUnderstood) {
  const ProgramResult result = parse({"--profiler_path", profiles().front(), "--max_process_number",
                                      "2", "--export_type", "text", "-o", own_ / "out", "--json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const json summary = json::parse(result.output);
  ASSERT_EQ(summary["profiles"].size(), 1u);
  EXPECT_EQ(summary["profiles"][0]["steps"], 3);
  EXPECT_EQ(summary["profiles"][0]["error"], nullptr);
  EXPECT_GT(summary["profiles"][0]["kernels"], 0);
}

TEST_F(ParseProgram, OnlyTheChosenSteps) {
  const auto kernels = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{profiles().front(), "-o", own_ / "out", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = parse(arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    const json profile = json::parse(result.output)["profiles"][0];
    return std::pair(profile["steps"].get<int>(), profile["kernels"].get<int>());
  };
  const auto [steps, all] = kernels({});
  ASSERT_EQ(steps, 3);
  EXPECT_EQ(kernels({"--steps", "0-100"}), std::pair(3, all));
  const auto [two_steps, two] = kernels({"--steps=2,4"});
  const auto [one_step, one] = kernels({"--steps", "3"});
  EXPECT_EQ(two_steps, 2);
  EXPECT_EQ(one_step, 1);
  EXPECT_GT(one, 0);
  EXPECT_EQ(one + two, all);

  const ProgramResult none = parse({profiles().front(), "-o", own_ / "none", "--steps", "50"});
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.errors, HasSubstr("it has steps 2 to 4"));
  EXPECT_FALSE(
      fs::exists(own_ / "none" / profiles().front().filename() / "ASCEND_PROFILER_OUTPUT"));
}

TEST_F(ParseProgram, WrongArgumentsAreNamed) {
  const std::string path = profiles().front();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "path"},
      {{path, "--bogus"}, "--bogus"},
      {{path, "second/path"}, "second/path"},
      {{path, "--export", "pdf"}, "--export: 'pdf'"},
      {{path, "--export=off"}, "--export"},
      {{path, "--export=text", "--type=db"}, "--type"},
      {{path, "--type", "pdf"}, "--type: 'pdf'"},
      {{path, "--steps", "5-3"}, "--steps: '5-3'"},
      {{path, "--steps", "x"}, "--steps: 'x'"},
      {{path, "--steps=1,,2"}, "--steps"},
      {{path, "--jobs", "many"}, "--jobs"},
      {{path, "--jobs", "4294967295"}, "--jobs: '4294967295'"},
      {{path, "--max_process_number", "5000"}, "--max-process-number: '5000'"},
      {{path, "-o", ""}, "--output"},
      {{"--export=on", "--output="}, "--output"},
      {{path, "--model-id", "1"}, "--model-id"},
      {{path, "--iteration_id=1"}, "--iteration-id"},
      {{path, "--model-id=1", "--iteration-id=0"}, "--iteration-id"},
      {{path, "--model-id=1", "--iteration-id=1", "--steps=1"}, "--steps"},
      {{path, "--summary-format=xml"}, "--summary-format: 'xml'"},
      {{path, "--analyze=on", "--rule=all"}, "--rule: 'all'"},
      {{path, "--application=python"}, "npuprof record -- python"},
      {{path, "--iteration-count=2"}, "--iteration-count"},
      {{path, "--clear=perhaps"}, "--clear"},
      {{path, "--reports", "/nowhere/reports.json"}, "--reports"},
      {{path, "--data_simplification=maybe"}, "--data-simplification"}};
  for (const auto& [arguments, named] : cases) {
    const ProgramResult result = parse(arguments);
    EXPECT_EQ(result.status, 2) << named << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(named));
    EXPECT_EQ(result.output, "") << named;
  }
  EXPECT_FALSE(names_in(path).contains("ASCEND_PROFILER_OUTPUT"));
}

TEST_F(ParseProgram, WhatCannotBeReadIsStatusThree) {
  EXPECT_EQ(parse({own_ / "nothing"}).status, 3);
  const ProgramResult empty = parse({own_.path()});
  EXPECT_EQ(empty.status, 3);
  EXPECT_THAT(empty.errors, HasSubstr("error"));
}

TEST_F(ParseProgram, LossesAreStatusOneAndToldOf) {
  const fs::path profile = copied();
  std::ofstream(profile / "FRAMEWORK/torch.op_range", std::ios::app) << "cut";
  const ProgramResult result = parse({profile});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("Losses: 1 in 1 of 1 profile"));
  EXPECT_THAT(result.errors, HasSubstr("torch.op_range"));
}

TEST_F(ParseProgram, HelpHasExamples) {
  const ProgramResult result = parse({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("Examples:"));
  EXPECT_THAT(result.output, HasSubstr("--steps"));
  EXPECT_THAT(result.output, Not(HasSubstr("{on}")));
}

TEST_F(ParseProgram, CalledAsMsprofItExports) {
  const fs::path profile = cann(copied());
  fs::create_symlink(NPUPROF_PROGRAM, own_ / "msprof");
  fs::create_directories(profile / "host/sqlite");
  std::ofstream(own_ / "reports.json") << R"({"json_process": {"cann": false, "ascend": true}})";
  const ProgramResult result = npuprof::testing::run_program(
      own_ / "msprof", {"--export=on", "--output=" + profile.native(),
                        "--reports=" + (own_ / "reports.json").native(), "--summary-format=csv",
                        "--clear=on", "--python-path=/usr/bin/python3"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_FALSE(fs::exists(profile / "host/sqlite"));
  EXPECT_EQ(entries(profile, "msprof_").size(), 1u) << "text includes the database";
  const auto timelines = entries(profile / "mindstudio_profiler_output", "msprof_");
  ASSERT_EQ(timelines.size(), 1u);
  std::set<std::string> layers;
  for (const json& event : read_json(timelines.front())) {
    if (event["name"] == "process_name") layers.insert(event["args"]["name"]);
  }
  EXPECT_TRUE(layers.contains("Ascend Hardware"));
  EXPECT_FALSE(layers.contains("CANN"));
}

TEST_F(ParseProgram, TablesOfCannCanBeJson) {
  const fs::path profile = cann(copied());
  const ProgramResult result =
      run({"msprof", "--export=on", "--summary-format=json", "--output=" + profile.native(), "-q"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const fs::path folder = profile / "mindstudio_profiler_output";
  const auto tables = entries(folder, "op_summary_");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables.front().extension(), ".json");
  const json rows = read_json(tables.front());
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(rows[0]["Task Duration(us)"].is_number());
  EXPECT_TRUE(rows[0]["Op Name"].is_string());
  EXPECT_TRUE(rows[0]["Task Start Time(us)"].is_string());
  EXPECT_FALSE(rows[0]["Task Start Time(us)"].get<std::string>().ends_with('\t'));
}

TEST_F(ParseProgram, GraphsAndIterationsCanBeAskedFor) {
  const fs::path profile = cann(copied());
  const ProgramResult table = run({"msprof", "--query=on", "--output=" + profile.native()});
  ASSERT_EQ(table.status, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("Top Time Iteration"));
  EXPECT_THAT(table.output, HasSubstr(profile.filename().native()));
  const ProgramResult listed = run({"msprof", "query", "-dir", profile, "--json"});
  ASSERT_EQ(listed.status, 0) << listed.errors;
  EXPECT_EQ(json::parse(listed.output)[0]["Dir Name"], profile.filename().native());
  EXPECT_FALSE(fs::exists(profile / "mindstudio_profiler_output"));
}

TEST_F(ParseProgram, ReadingAloneWritesNothing) {
  const fs::path profile = cann(copied());
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"msprof", "--parse=on", "--output", profile}, {"msprof", "import", "-dir", profile}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
  }
  EXPECT_FALSE(fs::exists(profile / "mindstudio_profiler_output"));
  EXPECT_EQ(run({"msprof", "import", "-dir", "/nowhere"}).status, 3);
}

TEST_F(ParseProgram, CommandsOfMsprofPyAreUnderstood) {
  const fs::path profile = cann(copied());
  EXPECT_EQ(run({"msprof", "export", "db", "-dir", profile}).status, 0);
  EXPECT_EQ(entries(profile, "msprof_").size(), 1u);
  EXPECT_FALSE(fs::exists(profile / "mindstudio_profiler_output"));
  EXPECT_EQ(run({"msprof", "export", "summary", "-dir", profile, "--format=json"}).status, 0);
  EXPECT_EQ(entries(profile / "mindstudio_profiler_output", "op_summary_").front().extension(),
            ".json");
}

TEST_F(ParseProgram, MsprofsDatabaseAlone) {
  const fs::path profile = cann(copied());
  const ProgramResult result =
      parse({"--export=on", "--type=db", "--output=" + profile.native(), "-q"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(entries(profile, "msprof_").size(), 1u);
  EXPECT_FALSE(fs::exists(profile / "mindstudio_profiler_output"));
}

TEST_F(ParseProgram, RawDataIsLeftAloneUnlessAsked) {
  const fs::path profile = copied();
  const fs::path raw = cann(profile);
  const std::vector<fs::path> derived{raw / "host/sqlite", raw / "host/summary",
                                      raw / "mindstudio_profiler_output",
                                      raw / "mindstudio_profiler_log", raw / "analyze"};
  for (const fs::path& path : derived) {
    fs::create_directories(path);
    std::ofstream(path / "file") << "x";
  }
  std::ofstream(raw / "msprof_analysis_12.log") << "x";
  std::ofstream(raw / "msprof_analysis_x.log") << "x";
  const auto files_of = [&] {
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(raw)) files.insert(entry.path());
    return files;
  };
  const std::set<fs::path> before = files_of();
  ASSERT_EQ(parse({profile, "-q"}).status, 0);
  EXPECT_EQ(files_of(), before);
  ASSERT_EQ(parse({profile, "-q", "--data_simplification"}).status, 0);
  for (const fs::path& path : derived) EXPECT_FALSE(fs::exists(path)) << path;
  EXPECT_FALSE(fs::exists(raw / "msprof_analysis_12.log"));
  EXPECT_TRUE(fs::exists(raw / "msprof_analysis_x.log"));
  EXPECT_EQ(files_of().size() + 2 * derived.size() + 1, before.size());
  EXPECT_EQ(parse({profile, "-q"}).status, 0) << "it can be parsed again";
}

TEST_F(ParseProgram, NothingIsRemovedBehindLinks) {
  const fs::path profile = copied();
  const fs::path raw = cann(profile);
  fs::create_directories(own_ / "shared");
  fs::rename(raw / "host", own_ / "shared/host");
  fs::create_directory_symlink(own_ / "shared/host", raw / "host");
  std::ofstream(own_ / "precious") << "x";
  fs::create_directories(own_ / "shared/host/sqlite");
  fs::create_directory_symlink(own_ / "shared", raw / "analyze");
  const ProgramResult result = parse({profile, "-q", "--data-simplification", "--clear=on"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_TRUE(fs::exists(own_ / "shared/host/sqlite"));
  EXPECT_FALSE(fs::is_symlink(raw / "analyze")) << "the link itself goes";
  EXPECT_THAT(result.errors, HasSubstr("is a link"));
}

TEST_F(ParseProgram, WhatIsNoDirectoryOfResultsStays) {
  const fs::path profile = copied();
  const fs::path place = profile / "ASCEND_PROFILER_OUTPUT";
  std::ofstream(place) << "precious";
  const ProgramResult file = parse({profile});
  EXPECT_EQ(file.status, 3);
  EXPECT_THAT(file.errors, HasSubstr("is a file, where the directory of results should be"));
  EXPECT_EQ(read_file(place).value(), "precious");
  fs::remove(place);
  fs::create_directory(own_ / "elsewhere");
  fs::create_directory_symlink(own_ / "elsewhere", place);
  const ProgramResult link = parse({profile});
  EXPECT_EQ(link.status, 3);
  EXPECT_THAT(link.errors, HasSubstr("is a link"));
  EXPECT_TRUE(fs::is_symlink(place));
  EXPECT_EQ(names_in(own_ / "elsewhere"), std::set<std::string>{});

  std::ofstream(own_ / "file") << "precious";
  const ProgramResult chosen = parse({profile, "-o", own_ / "file"});
  EXPECT_EQ(chosen.status, 3);
  EXPECT_THAT(chosen.errors, HasSubstr("is no folder"));
}

TEST_F(ParseProgram, ResultsDoNotGoIntoWhatTheyAreMadeOf) {
  const fs::path profile = copied();
  const ProgramResult raw = parse({profile, "-o", profile / "FRAMEWORK"});
  EXPECT_EQ(raw.status, 3);
  EXPECT_THAT(raw.errors, HasSubstr("choose another --output"));
  EXPECT_FALSE(fs::exists(profile / "FRAMEWORK" / profile.filename()));

  ASSERT_EQ(parse({profile, "-q"}).status, 0);
  const fs::path results = profile / "ASCEND_PROFILER_OUTPUT";
  const auto before = names_in(results);
  const ProgramResult again = parse({results, "--export", "db", "-o", own_.path()});
  EXPECT_EQ(again.status, 3) << again.errors;
  EXPECT_EQ(names_in(results), before);
}

TEST_F(ParseProgram, ADatabaseOfCannReplacesTheOneBefore) {
  const fs::path profile = cann(copied());
  std::ofstream(profile / "msprof_20200101000000.db") << "of another program";
  ASSERT_EQ(parse({profile, "--export", "db", "-q"}).status, 0);
  const auto made = entries(profile, "msprof_2");
  ASSERT_EQ(made.size(), 2u);
  fs::rename(made.back(), profile / "msprof_20200101000001.db");
  fs::copy_file(profile / "msprof_20200101000001.db", profile / "msprof_mine.db");
  ASSERT_EQ(parse({profile, "--export", "db", "-q"}).status, 0);
  const auto left = names_in(profile);
  EXPECT_FALSE(left.contains("msprof_20200101000001.db"));
  EXPECT_TRUE(left.contains("msprof_20200101000000.db")) << "it is not ours";
  EXPECT_TRUE(left.contains("msprof_mine.db")) << "the user gave it another name";
  EXPECT_EQ(entries(profile, "msprof_2").size(), 2u);
}

TEST_F(ParseProgram, ADatabaseThatIsReadIsNotReplaced) {
  const fs::path profile = cann(copied());
  ASSERT_EQ(parse({profile, "--export", "db", "-q"}).status, 0);
  const fs::path only = own_ / "results" / profile.filename();
  fs::create_directories(only / "host");
  fs::rename(entries(profile, "msprof_2").front(), only / "msprof_20200101000000.db");
  EXPECT_EQ(parse({only, "--export", "db", "-o", own_ / "results"}).status, 3);
  EXPECT_TRUE(fs::exists(only / "msprof_20200101000000.db"));
  EXPECT_EQ(parse({only, "--export", "db", "-o", own_ / "elsewhere"}).status, 0);
}

TEST_F(ParseProgram, NamesGiveNoOrdersToATerminal) {
  const ProgramResult unknown = parse({own_ / "x\x1b[31m"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.errors, Not(HasSubstr("\x1b")));
  EXPECT_THAT(unknown.errors, HasSubstr("\\x1b[31m"));
  const ProgramResult wrong = parse({own_ / "a", own_ / "x\x1b[31m"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace npuprof
