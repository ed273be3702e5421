// `npuprof export`, the program itself.

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "cli/program.h"
#include "own_device.h"
#include "sim/workload/job.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::device_to_write;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;

std::string unzipped(const fs::path& path) {
  std::string text;
  gzFile file = ::gzopen(path.c_str(), "rb");
  char buffer[1 << 14];
  for (int size = 0; (size = ::gzread(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  ::gzclose(file);
  return text;
}

class ExportProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory();
    sim::JobOptions job{.workload = sim::Workload::kToy,
                        .output = *directory_ / "full",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 1,
                        .steps = 2};
    job.framework.with_stack = true;
    job.framework.profile_memory = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    job.output = *directory_ / "plain";
    job.framework.with_stack = false;
    job.ranks = 2;
    job.parallel.data = 2;
    ASSERT_TRUE(sim::run_job(job).ok());
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }

  // With stacks and tensors, one rank; without them, two ranks.
  static fs::path full() { return profiles("full").front(); }
  static std::vector<fs::path> profiles(const std::string& job) {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(*directory_ / job)) {
      if (entry.path().native().ends_with("_ascend_pt")) found.insert(entry);
    }
    return {found.begin(), found.end()};
  }
  static ProgramResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "export");
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
  }
  static std::string line(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "export");
    return npuprof::testing::shell_line(NPUPROF_PROGRAM, arguments);
  }
  ProgramResult exported(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{full(), "--to", kind, "-o", own_ / name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result;
  }
  std::string content(const std::string& name) { return read_file(own_ / name).value(); }

  static TemporaryDirectory* directory_;
  TemporaryDirectory own_;
};

TemporaryDirectory* ExportProgram::directory_ = nullptr;

TEST_F(ExportProgram, TheTimelineIsTheOneThatParseWrites) {
  exported("chrome", "trace.json");
  exported("chrome", "deeper/trace.json.gz");
  exported("perfetto", "trace.pftrace");
  ASSERT_EQ(npuprof::testing::run_program(
                NPUPROF_PROGRAM, {"parse", full(), "--export", "text,perfetto", "-o", own_ / "out"})
                .status,
            0);
  const fs::path results = own_ / "out" / full().filename() / "ASCEND_PROFILER_OUTPUT";
  EXPECT_TRUE(content("trace.json") == read_file(results / "trace_view.json").value());
  EXPECT_TRUE(content("trace.json") == unzipped(own_ / "deeper/trace.json.gz"));
  EXPECT_TRUE(content("trace.pftrace") == read_file(results / "trace_view.perfetto-trace").value());
}

TEST_F(ExportProgram, TimesFromZeroAreTheSameFromTheirOrigin) {
  exported("chrome", "wall.json");
  exported("chrome", "zero.json", {"--from-zero"});
  const json wall = json::parse(read_file(own_ / "wall.json").value());
  const json zero = json::parse(read_file(own_ / "zero.json").value());
  const json& events = zero["traceEvents"];
  ASSERT_EQ(events.size(), wall.size());
  const auto nanoseconds = [](const json& event) {
    std::string text = event["ts"];
    std::erase(text, '.');
    return std::stoll(text);
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].contains("ts")) continue;
    ASSERT_GE(nanoseconds(events[i]), 0) << events[i];
    ASSERT_EQ(nanoseconds(events[i]) + zero["baseTimeNanoseconds"].get<long long>(),
              nanoseconds(wall[i]));
  }
  // It is read with the times of the wall clock again.
  const ProgramResult again =
      run({own_ / "zero.json", "--to", "chrome", "-o", own_ / "again.json"});
  ASSERT_EQ(again.status, 0) << again.errors;
  const auto kernels = [&](const json& timeline) {
    std::map<long long, std::string> found;
    for (const json& event : timeline) {
      if (event["ph"] == "X" && event["args"].contains("Task Type")) {
        found[nanoseconds(event)] = event["name"];
      }
    }
    return found;
  };
  EXPECT_EQ(kernels(json::parse(read_file(own_ / "again.json").value())), kernels(wall));
  EXPECT_FALSE(kernels(wall).empty());
}

TEST_F(ExportProgram, ADatabaseCanBeExportedToo) {
  ASSERT_EQ(npuprof::testing::run_program(NPUPROF_PROGRAM,
                                          {"parse", full(), "--export", "db", "-o", own_ / "out"})
                .status,
            0);
  const fs::path results = own_ / "out" / full().filename() / "ASCEND_PROFILER_OUTPUT";
  exported("key-averages", "raw.json");
  const ProgramResult result = run({results, "--to", "key-averages", "-o", own_ / "again.json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const json raw = json::parse(content("raw.json"));
  const json again = json::parse(content("again.json"));
  ASSERT_GT(raw.size(), 0u);
  EXPECT_EQ(again.size(), raw.size());
}

TEST_F(ExportProgram, OnlyTheChosenSteps) {
  const auto steps = [&](const std::string& name) {
    std::set<std::string> found;
    for (const json& event : json::parse(content(name))) {
      const std::string event_name = event["name"];
      if (event_name.starts_with("ProfilerStep#")) found.insert(event_name);
    }
    return found;
  };
  exported("chrome", "all.json");
  exported("chrome", "one.json", {"--steps", "3"});
  EXPECT_EQ(steps("all.json"), (std::set<std::string>{"ProfilerStep#2", "ProfilerStep#3"}));
  EXPECT_EQ(steps("one.json"), (std::set<std::string>{"ProfilerStep#3"}));
}

TEST_F(ExportProgram, StacksAreLinesForFlameGraphs) {
  exported("stacks", "cpu.log");
  exported("stacks", "npu.log", {"--metric", "self_npu_time_total"});
  const std::regex line("train\\.py\\(132\\): main;[^;]+(;[^;]+)* [1-9][0-9]*");
  for (const char* name : {"cpu.log", "npu.log"}) {
    std::ifstream file(own_ / name);
    std::size_t lines = 0;
    for (std::string text; std::getline(file, text); ++lines) {
      EXPECT_TRUE(std::regex_match(text, line)) << text;
    }
    EXPECT_GT(lines, 10u);
  }
  EXPECT_NE(content("cpu.log"), content("npu.log"));
}

TEST_F(ExportProgram, MemoryTimelineHasItsThreeForms) {
  exported("memory-timeline", "memory.html");
  EXPECT_THAT(content("memory.html"), HasSubstr("<svg"));
  EXPECT_THAT(content("memory.html"), HasSubstr("Memory of npu:0"));
  exported("memory-timeline", "memory.json", {"--device", "npu:0"});
  exported("memory-timeline", "memory.json.gz");
  EXPECT_TRUE(content("memory.json") == unzipped(own_ / "memory.json.gz"));
  exported("memory-timeline", "memory.raw.json.gz");
  const json totals = json::parse(content("memory.json"));
  ASSERT_EQ(totals.size(), 2u);
  ASSERT_EQ(totals[0].size(), totals[1].size());

  // The totals are the sum of the changes, and the parameters are those of the program.
  std::map<int, std::int64_t> sums;
  for (const json& change : json::parse(unzipped(own_ / "memory.raw.json.gz"))) {
    sums[change[3]] += change[2].get<std::int64_t>();
  }
  for (int category = 0; category < 8; ++category) {
    EXPECT_EQ(totals[1].back()[category + 1], sums[category]) << category;
  }
  constexpr std::int64_t kWidth = 512;
  const std::int64_t exact = 4 * (2 * kWidth * kWidth + 3 * kWidth);
  const std::int64_t parameters = totals[1].back()[1];
  EXPECT_GE(parameters, exact);
  EXPECT_LE(parameters, exact + 5 * 512) << "blocks are rounded up to 512 bytes";
  EXPECT_EQ(totals[1].back()[6], exact) << "gradients";
  std::int64_t activations = 0;
  for (const json& row : totals[1]) {
    EXPECT_EQ(row.size(), 9u);
    activations = std::max(activations, row[5].get<std::int64_t>());
  }
  EXPECT_GT(activations, 0);
}

TEST_F(ExportProgram, KeyAveragesAddUpTheOperators) {
  exported("key-averages", "all.json");
  exported("key-averages", "shapes.json", {"--group_by_input_shape"});
  exported("key-averages", "stacks.json", {"--group-by-stack-n", "2"});
  const auto count = [&](const std::string& file, const std::string& key) {
    std::vector<int> found;
    const json averages = json::parse(content(file));
    for (const json& row : averages["operators"]) {
      if (row["key"] == key) found.push_back(row["count"]);
    }
    return found;
  };
  ASSERT_EQ(count("all.json", "aten::mm").size(), 1u);
  const int all = count("all.json", "aten::mm").front();
  EXPECT_EQ(all % 2, 0) << "two equal steps";
  int sum = 0;
  for (const int one : count("shapes.json", "aten::mm")) sum += one;
  EXPECT_EQ(sum, all);
  EXPECT_EQ(count("stacks.json", "ProfilerStep*"), std::vector<int>{2});
  const json by_stack = json::parse(content("stacks.json"));
  for (const json& row : by_stack["operators"]) {
    EXPECT_LE(row["stack"].size(), 2u);
    EXPECT_LE(row["self_cpu_time_total"], row["cpu_time_total"]);
    EXPECT_LE(row["self_npu_time_total"], row["npu_time_total"]);
  }
}

TEST_F(ExportProgram, OneOfSeveralProfiles) {
  const std::string job = *directory_ / "plain";
  const ProgramResult any = run({job, "--to", "chrome", "-o", own_ / "a.json"});
  EXPECT_EQ(any.status, 2);
  EXPECT_THAT(any.errors, HasSubstr("2 profiles of ranks 0, 1"));
  EXPECT_FALSE(fs::exists(own_ / "a.json"));
  EXPECT_EQ(run({job, "--rank", "1", "--to", "chrome", "-o", own_ / "a.json"}).status, 0);
  EXPECT_TRUE(fs::exists(own_ / "a.json"));
  const ProgramResult none = run({job, "--rank=7", "--to", "chrome", "-o", own_ / "b.json"});
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.errors, HasSubstr("no profile of rank 7, only of 0, 1"));
}

TEST_F(ExportProgram, WhatWasNotRecordedIsSaid) {
  const std::string profile = profiles("plain").front();
  const ProgramResult stacks = run({profile, "--to", "stacks", "-o", own_ / "s.log"});
  EXPECT_EQ(stacks.status, 3);
  EXPECT_THAT(stacks.errors, HasSubstr("with_stack"));
  EXPECT_FALSE(fs::exists(own_ / "s.log"));
  const ProgramResult other =
      run({profile, "--to", "memory-timeline", "--device", "npu:5", "-o", own_ / "m.html"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.errors, HasSubstr("no memory events of npu:5, only of npu:0"));
  const ProgramResult unknown = run({profile, "--to", "memory-timeline", "-o", own_ / "m.html"});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.errors, HasSubstr("record_shapes"));
  EXPECT_TRUE(fs::exists(own_ / "m.html"));
}

TEST_F(ExportProgram, WrongArgumentsAreNamed) {
  const std::string path = full();
  const std::string file = own_ / "file.json";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "path"},
      {{path, "-o", file}, "--to"},
      {{path, "--to", "chrome"}, "--output"},
      {{path, "--to", "chrome", "-o", ""}, "--output"},
      {{path, "--to", "chrome", "-o", file, "-j", "4294967295"}, "--jobs: '4294967295'"},
      {{path, "--to", "pdf", "-o", file}, "--to: 'pdf'"},
      {{path, "--to", "stacks", "--metric", "calls", "-o", file}, "--metric: 'calls'"},
      {{path, "--to", "memory-timeline", "--device", "npu", "-o", file}, "--device: 'npu'"},
      {{path, "--to", "memory-timeline", "--device", "gpu:0", "-o", file}, "--device"},
      {{path, "--to", "memory-timeline", "--device", "npu:128", "-o", file}, "--device"},
      {{path, "--to", "chrome", "--steps", "4-2", "-o", file}, "--steps: '4-2'"}};
  for (const auto& [arguments, named] : cases) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << named << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(named));
  }
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(ExportProgram, WhatCannotBeReadOrWrittenIsStatusThree) {
  EXPECT_EQ(run({own_ / "none", "--to", "chrome", "-o", own_ / "a.json"}).status, 3);
  std::ofstream(own_ / "file") << "x";
  EXPECT_EQ(run({full(), "--to", "chrome", "-o", own_ / "file" / "a.json"}).status, 3);
  EXPECT_EQ(run({full(), "--to", "chrome", "-o", "/"}).status, 3);
}

TEST_F(ExportProgram, StandardOutputGetsTheFileAndNothingElse) {
  exported("chrome", "trace.json");
  for (const char* output : {"-", "/dev/stdout", "/dev/fd/1"}) {
    const ProgramResult result = run({full(), "--to", "chrome", "-o", output});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_TRUE(result.output == content("trace.json")) << output;
    EXPECT_EQ(result.errors, "");
    const ProgramResult piped =
        npuprof::testing::run_shell(line({full(), "--to", "chrome", "-o", output}) + " | cat");
    EXPECT_TRUE(piped.output == content("trace.json")) << output;
  }
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(ExportProgram, AReaderThatGoesAwayIsAnError) {
  const ProgramResult result = npuprof::testing::run_shell(
      "{ " + line({full(), "--to", "chrome", "-o", "-"}) + "; echo status $? >&2; } | true");
  EXPECT_THAT(result.errors, HasSubstr("status 3"));
  EXPECT_THAT(result.errors, HasSubstr("standard output"));
}

TEST_F(ExportProgram, DevicesStayDevices) {
  using npuprof::testing::MemoryDevice;
  const std::string null_device = device_to_write(own_, MemoryDevice::kNull);
  const std::string full_device = device_to_write(own_, MemoryDevice::kFull);
  if (null_device.empty() || full_device.empty()) GTEST_SKIP() << "no device can be made here";
  const ProgramResult null = run({full(), "--to", "chrome", "-o", null_device});
  EXPECT_EQ(null.status, 0) << null.errors;
  EXPECT_EQ(null.output, "");
  EXPECT_TRUE(fs::is_character_file(null_device));
  const ProgramResult full_disk = run({full(), "--to", "chrome", "-o", full_device});
  EXPECT_EQ(full_disk.status, 3);
  EXPECT_THAT(full_disk.errors, HasSubstr("No space left"));
}

TEST_F(ExportProgram, FilesOfOthersStay) {
  std::ofstream(own_ / "trace.json.old-1") << "a backup";
  fs::create_directory(own_ / "thesis.partial-2");
  exported("chrome", "trace.json");
  EXPECT_TRUE(fs::exists(own_ / "trace.json.old-1"));
  EXPECT_TRUE(fs::exists(own_ / "thesis.partial-2"));
}

TEST_F(ExportProgram, TheInputIsNotWrittenOver) {
  const fs::path profile = own_ / full().filename();
  fs::copy(full(), profile, fs::copy_options::recursive);
  fs::create_directory_symlink(profile / "FRAMEWORK", own_ / "link");
  for (const fs::path& output : {profile / "FRAMEWORK/torch.op_range",
                                 profile / "FRAMEWORK/new.json", own_ / "link/torch.op_range"}) {
    const ProgramResult result = run({profile, "--to", "chrome", "-o", output});
    EXPECT_EQ(result.status, 3) << output;
    EXPECT_THAT(result.errors, HasSubstr("choose another --output"));
  }
  EXPECT_FALSE(fs::exists(profile / "FRAMEWORK/new.json"));
  EXPECT_EQ(run({profile, "--to", "chrome", "-o", own_ / "a.json"}).status, 0);
  const std::string before = content("a.json");
  EXPECT_EQ(run({own_ / "a.json", "--to", "key-averages", "-o", own_ / "a.json"}).status, 3);
  EXPECT_TRUE(content("a.json") == before);
}

TEST_F(ExportProgram, OneRankOfTheDatabasesThatParseWrote) {
  const ProgramResult parsed = npuprof::testing::run_program(
      NPUPROF_PROGRAM, {"parse", *directory_ / "plain", "--export", "db", "-o", own_ / "out"});
  ASSERT_EQ(parsed.status, 0) << parsed.errors;
  for (const char* rank : {"0", "1"}) {
    const ProgramResult result =
        run({own_ / "out", "--rank", rank, "--to", "chrome", "-o", own_ / "a.json"});
    EXPECT_EQ(result.status, 0) << result.errors;
  }
}

TEST_F(ExportProgram, LossesAreStatusOne) {
  const fs::path profile = own_ / full().filename();
  fs::copy(full(), profile, fs::copy_options::recursive);
  std::ofstream(profile / "FRAMEWORK/torch.op_range", std::ios::app) << "cut";
  const ProgramResult result = run({profile, "--to", "stacks", "-o", own_ / "s.log"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("torch.op_range"));
  EXPECT_TRUE(fs::exists(own_ / "s.log"));
}

TEST_F(ExportProgram, HelpTellsTheKinds) {
  const ProgramResult result = run({"--help"});
  EXPECT_EQ(result.status, 0);
  for (const char* kind : {"chrome", "perfetto", "stacks", "memory-timeline", "key-averages"}) {
    EXPECT_THAT(result.output, HasSubstr(std::string("  ") + kind));
  }
  EXPECT_THAT(result.output, HasSubstr("-o -"));
}

}  // namespace
}  // namespace npuprof
