// What happens when standard output cannot be written, or several programs write at once.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "sim/workload/job.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::ProgramResult;
using npuprof::testing::run_program;
using npuprof::testing::run_shell;
using npuprof::testing::shell_line;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;

fs::path simulated(const fs::path& folder) {
  const sim::JobOptions job{.workload = sim::Workload::kToy,
                            .output = folder,
                            .chip = *sim::find_chip("Ascend910B3"),
                            .ranks = 1,
                            .steps = 1};
  EXPECT_TRUE(sim::run_job(job).ok());
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().native().ends_with("_ascend_pt")) return entry.path();
  }
  return {};
}

TEST(StandardOutput, ThatCannotBeWrittenIsAnError) {
  const TemporaryDirectory directory;
  const std::string profile = simulated(directory.path());
  fs::create_directory(directory / "conf");
  const std::vector<std::vector<std::string>> commands{
      {"parse", profile, "--json"},
      {"parse", profile},
      {"export", profile, "--to", "chrome", "-o", directory / "trace.json"},
      {"export", profile, "--to", "chrome", "-o", "-"},
      {"dynamic", directory / "conf"},
      {"parse", "--help"},
      {"--version"}};
  for (const auto& arguments : commands) {
    const ProgramResult result = run_shell(shell_line(NPUPROF_PROGRAM, arguments) + " >/dev/full");
    EXPECT_EQ(result.status, 3) << arguments.front() << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("No space left on device"));
  }
  EXPECT_TRUE(fs::exists(directory / "trace.json")) << "the file is there all the same";
}

// Seconds of the test below.
std::chrono::seconds crowd_duration() {
  const char* const seconds = std::getenv("NPUPROF_LONG_TESTS");
  return std::chrono::seconds(seconds != nullptr ? std::max(std::atoi(seconds), 1) : 1);
}

TEST(ManyProcesses, ParseAndExportInOneFolderWithoutDisturbance) {
  constexpr int kProcesses = 8;
  const TemporaryDirectory directory;
  const fs::path profile = simulated(directory.path());
  std::set<std::string> expected{"ASCEND_PROFILER_OUTPUT"};
  for (const auto& entry : fs::directory_iterator(profile)) {
    expected.insert(entry.path().filename());
  }
  const auto end = std::chrono::steady_clock::now() + crowd_duration();
  std::vector<std::thread> starters;
  for (int number = 0; number < kProcesses; ++number) {
    const std::string file = "trace" + std::to_string(number) + ".json";
    const bool is_parse = number % 2 == 0;
    if (!is_parse) expected.insert(file);
    starters.emplace_back([=] {
      do {
        const ProgramResult result =
            is_parse ? run_program(NPUPROF_PROGRAM, {"parse", profile, "-q", "-j", "1"})
                     : run_program(NPUPROF_PROGRAM, {"export", profile, "--to", "key-averages",
                                                     "-q", "-j", "1", "-o", profile / file});
        EXPECT_EQ(result.status, 0) << result.errors;
      } while (std::chrono::steady_clock::now() < end);
    });
  }
  for (std::thread& starter : starters) starter.join();
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(profile)) found.insert(entry.path().filename());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace npuprof
