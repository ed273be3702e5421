// `npuprof parse` as a whole: the same bytes with any number of threads, and results that are whole
// whatever happens on the way.

#include "command.h"

#include <chrono>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "sanitizers.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::Command;
using npuprof::testing::TemporaryDirectory;

constexpr int kOk = 0;
constexpr int kLosses = 1;
constexpr int kUnreadable = 3;
// Ends a child that is not allowed to prepare its test.
constexpr int kNotPermitted = 99;

void simulate(const fs::path& output, std::uint32_t ranks, std::uint32_t steps) {
  sim::JobOptions job{.workload = sim::Workload::kTransformer,
                      .output = output,
                      .chip = *sim::find_chip("Ascend910B3"),
                      .ranks = ranks,
                      .steps = steps};
  job.parallel.data = ranks;
  job.transformer = {.layers = 3, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.collection.memory = true;
  job.framework.profile_memory = true;
  job.framework.with_stack = true;
  ASSERT_TRUE(sim::run_job(job).ok());
}

std::vector<std::string> parse_command(const fs::path& input, const fs::path& output,
                                       std::vector<std::string> options = {}) {
  std::vector<std::string> words{NPUPROF_PROGRAM, "parse", input, "-o", output};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

// Files of CANN carry the time of the export in their names.
std::string without_time_stamp(std::string name) {
  constexpr std::size_t kDigits = 14;
  std::size_t run = 0;
  for (std::size_t i = name.rfind('/') + 1; i < name.size(); ++i) {
    run = name[i] >= '0' && name[i] <= '9' ? run + 1 : 0;
    if (run == kDigits) return name.erase(i + 1 - kDigits, kDigits);
  }
  return name;
}

// The content of all files below a directory, by path.
std::map<std::string, std::string> files_below(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::string name = without_time_stamp(entry.path().lexically_relative(directory).native());
    files[std::move(name)] = read_file(entry.path()).value_or("?");
  }
  return files;
}

std::vector<std::string> names(const std::map<std::string, std::string>& files) {
  std::vector<std::string> result;
  for (const auto& [name, content] : files) result.push_back(name);
  return result;
}

// Does not print whole files when they differ.
void expect_same(const std::map<std::string, std::string>& a,
                 const std::map<std::string, std::string>& b) {
  ASSERT_EQ(names(a), names(b));
  for (const auto& [name, content] : a) EXPECT_TRUE(content == b.at(name)) << name << " differs";
}

bool has_leftovers(const fs::path& directory) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (name.find(".partial-") != std::string::npos) return true;
    if (name.find(".old-") != std::string::npos) return true;
  }
  return false;
}

// A profile of CANN alone: what the framework wrote is left behind.
void take_cann_data_out(const fs::path& profiles, const fs::path& to) {
  for (const fs::directory_entry& profile : fs::directory_iterator(profiles)) {
    if (!profile.is_directory()) continue;
    for (const fs::directory_entry& part : fs::directory_iterator(profile)) {
      const std::string name = part.path().filename();
      if (name.starts_with("PROF_")) fs::rename(part.path(), to / name);
    }
    fs::remove_all(profile.path());
  }
}

TEST(ParseCommand, GivesTheSameBytesInParallel) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 3, 3);
  simulate(directory / "cann", 1, 2);
  take_cann_data_out(directory / "cann", directory / "raw");
  std::map<std::string, std::string> expected;
  for (const char* const jobs : {"1", "2", "5", "5", "1"}) {
    const fs::path output = directory / "output";
    fs::remove_all(output);
    Command parse(
        parse_command(directory / "raw", output, {"-j", jobs, "--export", "text,db,perfetto"}));
    ASSERT_EQ(parse.wait(), kOk) << parse.output();
    auto files = files_below(output);
    EXPECT_GT(files.size(), 4u);
    if (expected.empty()) {
      expected = std::move(files);
    } else {
      expect_same(expected, files);
    }
    EXPECT_FALSE(has_leftovers(output));
  }
}

TEST(ParseCommand, DoesNotTouchTheRawData) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 2, 2);
  const auto before = files_below(directory / "raw");
  Command parse({NPUPROF_PROGRAM, "parse", directory / "raw", "--export", "text,db"});
  ASSERT_EQ(parse.wait(), kOk) << parse.output();
  auto after = files_below(directory / "raw");
  std::erase_if(after, [](const auto& file) {
    return file.first.find("ASCEND_PROFILER_OUTPUT") != std::string::npos;
  });
  expect_same(before, after);
}

TEST(ParseCommand, KeepsProfilesOfTheSameNameApart) {
  const TemporaryDirectory directory;
  simulate(directory / "raw/first", 1, 2);
  simulate(directory / "raw/second", 1, 3);
  Command parse(parse_command(directory / "raw", directory / "output"));
  ASSERT_EQ(parse.wait(), kOk) << parse.output();
  EXPECT_TRUE(fs::is_directory(directory / "output/first"));
  EXPECT_TRUE(fs::is_directory(directory / "output/second"));
}

TEST(ParseCommand, GoesOnAfterAProfileThatCannotBeWritten) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 2, 2);
  std::vector<fs::path> profiles;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory / "raw")) {
    if (entry.is_directory()) profiles.push_back(entry.path().filename());
  }
  ASSERT_EQ(profiles.size(), 2u);
  fs::create_directories(directory / "output");
  ASSERT_TRUE(write_file(directory / "output" / profiles[0], "in the way").ok());
  Command parse(parse_command(directory / "raw", directory / "output"));
  EXPECT_EQ(parse.wait(), kLosses) << parse.output();
  EXPECT_NE(parse.output().find(profiles[0].native()), std::string::npos) << parse.output();
  EXPECT_TRUE(fs::exists(directory / "output" / profiles[1] / "ASCEND_PROFILER_OUTPUT"));
}

TEST(ParseCommand, SaysThatTheOutputCannotBeWritten) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 1, 2);
  ASSERT_TRUE(write_file(directory / "file", "").ok());
  Command below_file(parse_command(directory / "raw", directory / "file/output"));
  EXPECT_EQ(below_file.wait(), kUnreadable);
  EXPECT_NE(below_file.output().find("cannot create"), std::string::npos) << below_file.output();
}

TEST(ParseCommand, SaysThatTheOutputIsReadOnly) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  const TemporaryDirectory directory;
  simulate(directory / "raw", 1, 2);
  fs::create_directory(directory / "locked");
  fs::permissions(directory / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  Command locked(parse_command(directory / "raw", directory / "locked"));
  EXPECT_EQ(locked.wait(), kUnreadable);
  EXPECT_NE(locked.output().find("Permission denied"), std::string::npos) << locked.output();
}

TEST(ParseCommand, SaysWhichProfileNeedsMoreMemory) {
  if (npuprof::testing::kHasAddressSanitizer) GTEST_SKIP() << "sanitizers need address space";
  const TemporaryDirectory directory;
  simulate(directory / "raw", 1, 40);
  bool was_too_little = false;
  for (rlim_t megabytes = 16; megabytes <= 256; megabytes += 16) {
    Command limited(parse_command(directory / "raw", directory / "output", {"-j", "1"}), [&] {
      const rlimit limit{.rlim_cur = megabytes << 20, .rlim_max = megabytes << 20};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(kNotPermitted);
    });
    const int status = limited.wait();
    if (limited.output().find("memory") == std::string::npos) continue;
    was_too_little = true;
    EXPECT_EQ(status, kUnreadable) << megabytes << limited.output();
    EXPECT_NE(limited.output().find(directory / "raw"), std::string::npos) << limited.output();
  }
  EXPECT_TRUE(was_too_little);
}

class FullDisk : public ::testing::TestWithParam<const char*> {};

TEST_P(FullDisk, LeavesTheOldResultsAndSaysSo) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 1, 8);
  const fs::path output = directory / "output";
  Command first(parse_command(directory / "raw", output, {"--export", "text,db"}));
  ASSERT_EQ(first.wait(), kOk) << first.output();
  const auto before = files_below(output);

  Command limited(parse_command(directory / "raw", output, {"--export", GetParam()}), [] {
    const rlimit limit{.rlim_cur = 20'000, .rlim_max = 20'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(kNotPermitted);
  });
  EXPECT_EQ(limited.wait(), kUnreadable) << limited.output();
  EXPECT_NE(limited.output().find("File too large"), std::string::npos) << limited.output();
  expect_same(before, files_below(output));
  EXPECT_FALSE(has_leftovers(output));
}

TEST_P(FullDisk, IsAnErrorOnASmallFileSystem) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 1, 8);
  const std::string disk = directory / "disk";
  fs::create_directory(disk);
  Command parse(
      parse_command(directory / "raw", fs::path(disk) / "output", {"--export", GetParam()}),
      [&disk] {
        // Seen by this process alone, and gone with it.
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=40k") != 0) {
          ::_exit(kNotPermitted);
        }
      });
  const int status = parse.wait();
  if (status == kNotPermitted) GTEST_SKIP() << "a file system cannot be mounted here";
  EXPECT_EQ(status, kUnreadable) << parse.output();
  EXPECT_NE(parse.output().find("No space left on device"), std::string::npos) << parse.output();
}

INSTANTIATE_TEST_SUITE_P(EachForm, FullDisk, ::testing::Values("text", "db", "perfetto"),
                         [](const auto& form) { return std::string(form.param); });

TEST(ParseCommand, KilledInTheMiddleLeavesTheOldResults) {
  const TemporaryDirectory directory;
  simulate(directory / "raw", 1, 40);
  const fs::path output = directory / "output";
  Command first(parse_command(directory / "raw", output, {"--export", "text,db"}));
  ASSERT_EQ(first.wait(), kOk) << first.output();
  const auto before = files_below(output);

  bool killed = false;
  for (int attempt = 0; attempt < 20 && !killed; ++attempt) {
    Command second(parse_command(directory / "raw", output, {"--export", "text,db"}));
    while (second.is_running() && !has_leftovers(output)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    second.kill();
    killed = has_leftovers(output);
  }
  ASSERT_TRUE(killed) << "the command was always faster";
  auto after = files_below(output);
  std::erase_if(after,
                [](const auto& file) { return file.first.find(".partial-") != std::string::npos; });
  expect_same(before, after);

  Command third(parse_command(directory / "raw", output, {"--export", "text,db"}));
  ASSERT_EQ(third.wait(), kOk) << third.output();
  EXPECT_FALSE(has_leftovers(output));
  expect_same(before, files_below(output));
}

}  // namespace
}  // namespace npuprof
