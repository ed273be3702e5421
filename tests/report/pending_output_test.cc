#include "report/pending_output.h"

#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

void write(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(write_file(path, content).ok());
}

// Runs `body` in a process of its own, which ends as if it was killed.
void die_in(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
}

TEST(PendingOutput, ADirectoryTakesThePlaceOfTheOneBefore) {
  const TemporaryDirectory folder;
  write(folder / "results/old.csv", "old");
  {
    auto pending = PendingOutput::directory_at(folder / "results").value();
    write(pending.path() / "new.csv", "new");
    EXPECT_EQ(names_in(folder / "results"), std::set<std::string>{"old.csv"});
    ASSERT_TRUE(pending.publish().ok());
  }
  EXPECT_EQ(names_in(folder / "results"), std::set<std::string>{"new.csv"});
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"});
}

TEST(PendingOutput, AFileTakesThePlaceOfTheOneBefore) {
  const TemporaryDirectory folder;
  write(folder / "trace.json", "old");
  {
    auto pending = PendingOutput::file_at(folder / "trace.json").value();
    write(pending.file(), "new");
    write(pending.path() / "other", "not published");
    ASSERT_TRUE(pending.publish().ok());
  }
  EXPECT_EQ(read_file(folder / "trace.json").value(), "new");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"trace.json"});
}

TEST(PendingOutput, WhatIsNotPublishedIsRemoved) {
  const TemporaryDirectory folder;
  write(PendingOutput::directory_at(folder / "deep/results").value().path() / "x", "x");
  write(PendingOutput::file_at(folder / "deep/x").value().file(), "x");
  EXPECT_EQ(names_in(folder / "deep"), std::set<std::string>{});
}

TEST(PendingOutput, FilesOfOthersStayWhateverTheirNames) {
  const TemporaryDirectory folder;
  write(folder / "trace.json.old-1", "a backup");
  write(folder / "trace.json.partial-1/chapter.tex", "a thesis");
  write(folder / "npuprof.partial-7/new/chapter.tex", "another one");
  write(folder / "npuprof.partial-8", "a file");
  fs::create_directory(folder / "thesis.partial-2");
  fs::create_directory(folder / "npuprof.partial-9");
  fs::create_directory_symlink(folder / "thesis.partial-2", folder / "npuprof.partial-3");
  const auto before = names_in(folder.path());
  {
    auto pending = PendingOutput::file_at(folder / "trace.json").value();
    write(pending.file(), "new");
    ASSERT_TRUE(pending.publish().ok());
  }
  auto after = names_in(folder.path());
  EXPECT_EQ(after.erase("trace.json"), 1u);
  EXPECT_EQ(after, before);
  EXPECT_EQ(read_file(folder / "npuprof.partial-7/new/chapter.tex").value(), "another one");
}

TEST(PendingOutput, RemovesWhatADeadProcessLeft) {
  const TemporaryDirectory folder;
  die_in([&] {
    auto pending = PendingOutput::directory_at(folder / "results");
    if (!pending.ok() || !write_file(pending->path() / "x", "x").ok()) ::_exit(1);
    ::_exit(0);
  });
  ASSERT_EQ(names_in(folder.path()).size(), 1u);
  (void)PendingOutput::file_at(folder / "another.json").value();
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{});
}

TEST(PendingOutput, RemovesWhatAProcessLeftThatDiedAtOnce) {
  const TemporaryDirectory folder;
  ASSERT_EQ(::mkdir((folder / "npuprof.partial-1").c_str(), S_ISVTX | 0700), 0);
  ASSERT_EQ(::mkdir((folder / "npuprof.partial-2").c_str(), S_ISVTX | 0700), 0);
  write(folder / "npuprof.partial-2/chapter.tex", "a thesis");
  (void)PendingOutput::file_at(folder / "another.json").value();
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"npuprof.partial-2"});
}

TEST(PendingOutput, WhatALivingProcessMakesStays) {
  const TemporaryDirectory folder;
  auto first = PendingOutput::directory_at(folder / "results").value();
  auto second = PendingOutput::directory_at(folder / "results").value();
  EXPECT_NE(first.path(), second.path());
  write(first.path() / "a", "a");
  write(second.path() / "b", "b");
  ASSERT_TRUE(first.publish().ok());
  ASSERT_TRUE(second.publish().ok());
  EXPECT_EQ(names_in(folder / "results"), std::set<std::string>{"b"});
}

TEST(PendingOutput, OldResultsThatWerePutAsideComeBack) {
  const TemporaryDirectory folder;
  die_in([&] {
    auto pending = PendingOutput::directory_at(folder / "results");
    const fs::path own = pending->path().parent_path();
    const bool is_made = fs::create_directory(own / "old") && write_file(own / "old/x", "x").ok();
    ::_exit(is_made ? 0 : 1);
  });
  (void)PendingOutput::file_at(folder / "another.json").value();
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"results"});
  EXPECT_EQ(read_file(folder / "results/x").value(), "x");
}

TEST(PendingOutput, OnlyTheSameKindIsReplaced) {
  const TemporaryDirectory folder;
  write(folder / "file", "precious");
  fs::create_directory(folder / "directory");
  fs::create_symlink("file", folder / "link");
  fs::create_directory_symlink("directory", folder / "directory_link");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto before = names_in(folder.path());
  for (const char* name : {"file", "link", "directory_link", "pipe"}) {
    const auto pending = PendingOutput::directory_at(folder / name);
    ASSERT_FALSE(pending.ok()) << name;
    EXPECT_THAT(pending.error().message, HasSubstr("where the directory of results should be"));
  }
  for (const char* name : {"directory", "link", "directory_link", "pipe"}) {
    EXPECT_FALSE(PendingOutput::file_at(folder / name).ok()) << name;
  }
  EXPECT_EQ(names_in(folder.path()), before);
  EXPECT_EQ(read_file(folder / "file").value(), "precious");
}

TEST(PendingOutput, WhatComesIntoTheWayLaterIsNotReplacedEither) {
  const TemporaryDirectory folder;
  auto pending = PendingOutput::directory_at(folder / "results").value();
  write(folder / "results", "precious");
  EXPECT_FALSE(pending.publish().ok());
  EXPECT_EQ(read_file(folder / "results").value(), "precious");
}

TEST(PendingOutput, TheLongestNameOfAFileIsPossible) {
  const TemporaryDirectory folder;
  const std::string name(255, 'x');
  auto pending = PendingOutput::file_at(folder / name).value();
  write(pending.file(), "new");
  EXPECT_TRUE(pending.publish().ok());
  EXPECT_EQ(read_file(folder / name).value(), "new");
}

// A second, or as many as NPUPROF_LONG_TESTS says.
std::chrono::milliseconds hammer_duration() {
  const char* const seconds = std::getenv("NPUPROF_LONG_TESTS");
  return std::chrono::seconds(seconds != nullptr ? std::max(std::atoi(seconds), 1) : 1);
}

// One of many processes: publishes the same directory, or a file of its own, again and again.
bool publish_until(std::chrono::steady_clock::time_point end, const fs::path& folder, int number) {
  const bool is_directory = number % 2 == 0;
  const fs::path place = folder / (is_directory ? "results" : "file" + std::to_string(number));
  while (std::chrono::steady_clock::now() < end) {
    auto pending =
        is_directory ? PendingOutput::directory_at(place) : PendingOutput::file_at(place);
    if (!pending.ok()) return false;
    const fs::path file = is_directory ? pending->path() / "content" : pending->file();
    if (!write_file(file, std::to_string(number)).ok()) return false;
    if (!pending->publish().ok()) return false;
  }
  return true;
}

TEST(PendingOutput, ManyProcessesInOneFolderDoNotDisturbEachOther) {
  constexpr int kProcesses = 8;
  const TemporaryDirectory folder;
  const auto end = std::chrono::steady_clock::now() + hammer_duration();
  std::vector<pid_t> children;
  for (int number = 0; number < kProcesses; ++number) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(publish_until(end, folder.path(), number) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(names_in(folder.path()),
            (std::set<std::string>{"results", "file1", "file3", "file5", "file7"}));
  EXPECT_EQ(names_in(folder / "results"), std::set<std::string>{"content"});
}

}  // namespace
}  // namespace npuprof::report
