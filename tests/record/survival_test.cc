// What must not harm the recorded program: fork, death, full disks, directories that cannot be
// written.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "npuprof/record.hpp"
#include "record/recorded.h"
#include "record/session.h"
#include "sanitizers.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/marks.h"

namespace npuprof::record {
namespace {

using npuprof::testing::TemporaryDirectory;
using testing::ChildResult;
using testing::load_recorded;
using testing::Recorded;
using testing::run_in_child;

#define SKIP_IF_FORKS_HANG()                  \
  if (npuprof::testing::kHasAddressSanitizer) \
  GTEST_SKIP() << "forks beside threads hang under this sanitizer"

npuprof_session* open_at(const std::filesystem::path& directory, std::uint32_t flush_ms = 100) {
  npuprof_options options;
  npuprof_options_init(&options);
  options.flush_interval_ms = flush_ms;
  return npuprof_session_open_directory(directory.c_str(), &options);
}

void record_ranges(int count) {
  for (int i = 0; i < count; ++i) {
    NPUPROF_RANGE("outer");
    const TextRange inner("inner " + std::to_string(i % 100));
  }
}

std::size_t files_below(const std::filesystem::path& directory) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  return files;
}

TEST(Survival, AForkedChildDoesNotRecordNorWrite) {
  SKIP_IF_FORKS_HANG();
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  npuprof_session* session = open_at(path);
  ASSERT_EQ(npuprof_session_start(session), NPUPROF_OK);
  record_ranges(1000);
  const ChildResult child = run_in_child([&] {
    if (npuprof_recording() != 0) return 1;
    record_ranges(1000);
    npuprof_name_id("name of the child");
    if (npuprof_session_stop(session, nullptr) != NPUPROF_FORKED) return 2;
    if (npuprof_session_start(session) != NPUPROF_FORKED) return 3;
    if (npuprof_session_finalize(session, nullptr) != NPUPROF_FORKED) return 4;
    return 0;
  });
  EXPECT_EQ(child.code, 0);
  EXPECT_EQ(child.errors, "");
  record_ranges(1000);
  npuprof_stats stats;
  ASSERT_EQ(npuprof_session_finalize(session, &stats), NPUPROF_OK);
  EXPECT_EQ(stats.events_written, 4000u);
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  EXPECT_EQ(recorded.op_count(), 4000u);
}

TEST(Survival, AForkedChildMayRecordASessionOfItsOwn) {
  SKIP_IF_FORKS_HANG();
  const TemporaryDirectory directory;
  npuprof_session* session = open_at(directory / "parent_ascend_pt");
  ASSERT_EQ(npuprof_session_start(session), NPUPROF_OK);
  record_ranges(10);
  const std::filesystem::path path = directory / "child_ascend_pt";
  const ChildResult child = run_in_child([&] {
    npuprof_session* own = open_at(path);
    if (npuprof_session_start(own) != NPUPROF_OK) return 1;
    record_ranges(7);
    std::thread([] { record_ranges(5); }).join();
    npuprof_stats stats;
    if (npuprof_session_finalize(own, &stats) != NPUPROF_OK) return 2;
    return stats.events_written == 24 ? 0 : 3;
  });
  EXPECT_EQ(child.code, 0) << child.errors;
  npuprof_stats stats;
  ASSERT_EQ(npuprof_session_finalize(session, &stats), NPUPROF_OK);
  EXPECT_EQ(stats.events_written, 20u);
  EXPECT_EQ(load_recorded(path).op_count(), 24u);
}

// Children are made while other threads record, register names, and start and stop sessions.
TEST(Survival, ForksAtBadMomentsDoNotHang) {
  SKIP_IF_FORKS_HANG();
  const TemporaryDirectory directory;
  const ChildResult tester = run_in_child([&] {
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      for (int i = 0; !done; ++i) {
        npuprof_session* session = open_at(directory / (std::to_string(i % 4) + "_ascend_pt"));
        npuprof_session_start(session);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        npuprof_session_finalize(session, nullptr);
      }
    });
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; !done; ++j) {
          record_ranges(10);
          npuprof_name_id(("name " + std::to_string(j % 1000)).c_str());
        }
      });
    }
    int failures = 0;
    for (int i = 0; i < 50; ++i) {
      const ChildResult child = run_in_child([] {
        ::alarm(60);
        record_ranges(10);
        npuprof_name_id("a name");
        return npuprof_recording();
      });
      failures += child.code != 0 ? 1 : 0;
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    return failures;
  });
  EXPECT_EQ(tester.code, 0) << tester.errors;
}

// exit() completes the session; _exit() and signals leave what was flushed.
TEST(Survival, ExitWithoutStopCompletesTheSession) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  const ChildResult child = run_in_child([&]() -> int {
    npuprof_session_start(open_at(path, 100'000));
    record_ranges(500);
    std::exit(7);
  });
  EXPECT_EQ(child.code, 7);
  // A sanitizer may have something to say about threads that its parent had.
  EXPECT_EQ(child.errors.find("npuprof"), std::string::npos) << child.errors;
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  EXPECT_EQ(recorded.op_count(), 1000u);
}

TEST(Survival, AKilledProcessLeavesADirectoryThatParses) {
  const TemporaryDirectory directory;
  std::minstd_rand random(4711);  // NOLINT(*-msc51-cpp): the same moments each time.
  std::size_t most = 0;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    const std::filesystem::path path = directory / (std::to_string(round) + "_ascend_pt");
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      npuprof_session_start(open_at(path, 5));
      std::thread([] {
        for (;;) record_ranges(10);
      }).detach();
      (void)!::write(ready[1], "x", 1);
      for (;;) {
        Domain("d").mark("a marker");
        record_ranges(10);
      }
    }
    char byte;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    ::usleep(random() % 60'000);
    // On a busy machine the children before may have come to nothing.
    for (int wait = 0; round == kRounds - 1 && wait < 3000; ++wait) {
      std::error_code absent;
      const auto bytes = std::filesystem::file_size(path / "FRAMEWORK" / "torch.op_range", absent);
      if (!absent && bytes > 500'000) break;
      ::usleep(10'000);
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const auto found = load::discover(path);
    ASSERT_TRUE(found.ok()) << found.error().message;
    const Recorded recorded = load_recorded(path);
    most = std::max(most, recorded.op_count());
    for (std::size_t i = 0; i < recorded.op_count(); ++i) {
      EXPECT_GE(recorded.trace.framework_ops().end_ns[i],
                recorded.trace.framework_ops().start_ns[i]);
      const std::string_view name = recorded.name(i);
      EXPECT_TRUE(name == "outer" || name.substr(0, 6) == "inner ") << name;
    }
    std::filesystem::remove_all(path);
  }
  EXPECT_GT(most, 1000u);
}

TEST(Survival, WhatWasFlushedIsThereAfterAKill) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  const ChildResult child = run_in_child([&] {
    npuprof_session* session = open_at(path, 10);
    npuprof_session_metadata(session, "key", "value");
    npuprof_session_start(session);
    record_ranges(500);
    // Until all of it has been flushed, however slow this computer is.
    for (int i = 0; i < 2000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::error_code error;
      const auto size = std::filesystem::file_size(path / "FRAMEWORK/torch.op_range", error);
      if (!error && size >= 500 * 150) break;
    }
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(child.code, 256 + SIGKILL);
  const Recorded recorded = load_recorded(path);
  ASSERT_EQ(recorded.op_count(), 1000u);
  EXPECT_NE(recorded.losses_text().find("ended while it was recorded"), std::string::npos);
  EXPECT_NE(recorded.trace.session.profiler_metadata.find("\"key\": \"value\""), std::string::npos);
  EXPECT_NEAR(static_cast<double>(recorded.trace.framework_ops().start_ns[0]),
              static_cast<double>(clock_ns(CLOCK_REALTIME)), 600e9);
}

// A child of this process that records until it is killed.
class RecordingChild {
 public:
  // `record` is called again and again.
  RecordingChild(const std::filesystem::path& path, const npuprof_options& options,
                 const std::function<void()>& record) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      npuprof_session_start(npuprof_session_open_directory(path.c_str(), &options));
      record();
      (void)!::write(ready[1], "x", 1);
      for (;;) record();
    }
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  RecordingChild(const RecordingChild&) = delete;
  RecordingChild& operator=(const RecordingChild&) = delete;
  ~RecordingChild() { kill(); }

  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

npuprof_options quick_options() {
  npuprof_options options;
  npuprof_options_init(&options);
  options.flush_interval_ms = 5;
  return options;
}

// Waits until parse says so, however slow this computer is.
bool comes_to_say(const std::filesystem::path& path, std::string_view text) {
  for (int wait = 0; wait < 6000; ++wait) {
    const bool is_begun = std::filesystem::exists(path / "profiler_info.json");
    if (is_begun && load_recorded(path).losses_text().find(text) != std::string::npos) return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(Survival, AProcessKilledUnderFullLoadTellsHowMuchWasDropped) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  npuprof_options options = quick_options();
  options.buffer_bytes = 1;  // The smallest there is.
  RecordingChild child(path, options, [] { record_ranges(10'000); });
  EXPECT_TRUE(comes_to_say(path, "and dropped"));
  const std::string process = std::to_string(child.pid());
  EXPECT_NE(load_recorded(path).losses_text().find("process " + process + " is still recording"),
            std::string::npos);
  child.kill();
  const Recorded recorded = load_recorded(path);
  EXPECT_NE(recorded.losses_text().find("the process ended while it was recorded"),
            std::string::npos)
      << recorded.losses_text();
  const auto& losses = recorded.losses.items();
  EXPECT_TRUE(std::any_of(losses.begin(), losses.end(), [](const trace::Loss& loss) {
    return loss.what.find("and dropped") != std::string::npos && loss.records > 0;
  })) << recorded.losses_text();
}

TEST(Survival, AProcessKilledAfterAFullDiskTellsOfIt) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  RecordingChild child(path, quick_options(), [] {
    const rlimit limit{.rlim_cur = 1'000'000, .rlim_max = 1'000'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    record_ranges(1000);
  });
  EXPECT_TRUE(comes_to_say(path, "could not be written when they were recorded: full disk"));
  child.kill();
  const Recorded recorded = load_recorded(path);
  EXPECT_NE(recorded.losses_text().find("full disk"), std::string::npos);
  EXPECT_NE(recorded.losses_text().find("the process ended"), std::string::npos);
}

// The child of a fork has all open files of its parent, and so would have the lock.
TEST(Survival, AChildThatOutlivesItsParentDoesNotSeemToRecord) {
  SKIP_IF_FORKS_HANG();
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  int lifetime[2];
  ASSERT_EQ(::pipe(lifetime), 0);
  {
    bool has_child = false;
    const RecordingChild parent(path, quick_options(), [&] {
      record_ranges(10);
      ::usleep(1000);
      if (std::exchange(has_child, true) || ::fork() != 0) return;
      ::close(lifetime[1]);
      char byte;
      ::_exit(static_cast<int>(::read(lifetime[0], &byte, 1)));
    });
    EXPECT_TRUE(comes_to_say(path, "is still recording: "));
  }
  // The child gives the lock up as soon as it runs.
  EXPECT_TRUE(comes_to_say(path, "the process ended while it was recorded"));
  ::close(lifetime[0]);
  ::close(lifetime[1]);
}

TEST(Survival, AProcessThatRunsAnotherProgramDoesNotSeemToRecord) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  const RecordingChild child(path, quick_options(), [&] {
    while (!std::filesystem::exists(path / "profiler_metadata.json")) record_ranges(10);
    ::usleep(1000);
    if (std::filesystem::exists(path / "go")) ::execl("/bin/sleep", "sleep", "600", nullptr);
  });
  EXPECT_TRUE(comes_to_say(path, "is still recording: "));
  ASSERT_TRUE(write_file(path / "go", "").ok());
  EXPECT_TRUE(comes_to_say(path, "the process ended while it was recorded"));
}

// Runs a program whose disk is full after a while; it must go on, with one warning. What it says it
// has written is what is found.
void record_on_full_disk(const std::filesystem::path& path, const std::function<void()>& limit,
                         std::string_view reason) {
  constexpr std::uint64_t kEvents = 40 * (4000 + 100);
  const testing::Shared<npuprof_stats> shared;
  npuprof_stats& stats = *shared;
  const ChildResult child = run_in_child([&] {
    npuprof_session* session = open_at(path, 5);
    if (npuprof_session_start(session) != NPUPROF_OK) return 1;
    limit();
    for (int i = 0; i < 40; ++i) {
      record_ranges(2000);
      for (int j = 0; j < 100; ++j) Domain("d").mark("a marker");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const int code = npuprof_session_stop(session, &stats);
    if (code != NPUPROF_LOSSES) return 2;
    if (stats.events_lost == 0) return 3;
    if (stats.events_lost + stats.events_written + stats.events_dropped != kEvents) return 4;
    npuprof_session_finalize(session, &stats);
    return 0;
  });
  EXPECT_EQ(child.code, 0) << child.errors;
  EXPECT_EQ(child.lines(), 1) << child.errors;
  EXPECT_NE(child.errors.find("full disk"), std::string::npos) << child.errors;
  const Recorded recorded = load_recorded(path);
  EXPECT_GT(recorded.op_count(), 1000u);
  EXPECT_EQ(recorded.op_count() + recorded.trace.marks().size(), stats.events_written);
  // It is told as what it is, though the file that says so had to be written on a full disk.
  const std::string losses = recorded.losses_text();
  EXPECT_NE(losses.find(std::to_string(stats.events_lost) + " events could not be written"),
            std::string::npos)
      << losses;
  EXPECT_NE(losses.find("full disk"), std::string::npos) << losses;
  EXPECT_NE(losses.find(reason), std::string::npos) << losses;
  EXPECT_EQ(losses.find("ended while it was recorded"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path / "profiler_info.json.tmp"));
}

TEST(Survival, AFullDiskCostsEventsAndOneWarning) {
  const TemporaryDirectory directory;
  const auto limit = [] {
    const rlimit size{.rlim_cur = 1'000'000, .rlim_max = 1'000'000};
    ::setrlimit(RLIMIT_FSIZE, &size);
  };
  record_on_full_disk(directory / "a_ascend_pt", limit, "File too large");
}

TEST(Survival, ARealFullDisk) {
  const TemporaryDirectory directory;
  const std::filesystem::path disk = directory / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=2m") != 0) {
    GTEST_SKIP() << "a small file system cannot be mounted here";
  }
  record_on_full_disk(
      disk / "a_ascend_pt", [] {}, "No space left on device");
  ::umount(disk.c_str());
}

// Permissions do not hold for root, so the child becomes somebody else.
TEST(Survival, AReadOnlyDirectoryCostsOneWarning) {
  const TemporaryDirectory directory;
  ::chmod(directory.path().c_str(), 0555);
  const ChildResult child = run_in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 9;
    npuprof_session* session = npuprof_session_open(directory.path().c_str(), nullptr, nullptr);
    if (session != nullptr) return 1;
    npuprof_session_start(session);
    record_ranges(10);
    npuprof_session_metadata(session, "key", "value");
    npuprof_session_stop(session, nullptr);
    npuprof_session_finalize(session, nullptr);
    return 0;
  });
  ::chmod(directory.path().c_str(), 0755);
  EXPECT_EQ(child.code, 0) << child.errors;
  EXPECT_EQ(child.lines(), 1) << child.errors;
  EXPECT_NE(child.errors.find("nothing is recorded"), std::string::npos) << child.errors;
  EXPECT_EQ(files_below(directory.path()), 0u);
}

TEST(Survival, ADirectoryThatGoesAwayCostsOneWarning) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  const ChildResult child = run_in_child([&] {
    npuprof_session* session = open_at(path, 5);
    std::filesystem::remove_all(path);
    npuprof_session_start(session);
    record_ranges(1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    record_ranges(1000);
    npuprof_stats stats;
    if (npuprof_session_stop(session, &stats) != NPUPROF_LOSSES) return 1;
    npuprof_session_finalize(session, nullptr);
    return stats.events_lost == 4000 ? 0 : 2;
  });
  EXPECT_EQ(child.code, 0) << child.errors;
  EXPECT_EQ(child.lines(), 1) << child.errors;
}

TEST(Survival, AParentThatIsAFileCostsOneWarning) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file(directory / "file", "").ok());
  const ChildResult child = run_in_child([&] {
    return npuprof_session_open((directory / "file").c_str(), "worker", nullptr) == nullptr ? 0 : 1;
  });
  EXPECT_EQ(child.code, 0);
  EXPECT_EQ(child.lines(), 1) << child.errors;
}

}  // namespace
}  // namespace npuprof::record
