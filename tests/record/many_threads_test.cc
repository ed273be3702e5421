#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "npuprof/record.hpp"
#include "record/recorded.h"
#include "record/session.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/program_counters.h"
#include "trace/host/marks.h"

namespace npuprof::record {
namespace {

using npuprof::testing::TemporaryDirectory;
using testing::load_recorded;
using testing::Recorded;

// Seconds of the long tests; NPUPROF_LONG_TESTS=60 makes them as long as that.
std::chrono::milliseconds test_duration() {
  const char* const seconds = std::getenv("NPUPROF_LONG_TESTS");
  return seconds != nullptr ? std::chrono::seconds(std::max(std::atoi(seconds), 1))
                            : std::chrono::milliseconds(1500);
}

// Threads record, and end and are replaced, for some time. Each event is written or counted as
// dropped, and each one that was written is where it belongs.
TEST(ManyThreads, ParallelThreadsLoseNothingUncounted) {
  constexpr int kThreads = 64;
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  npuprof_options options;
  npuprof_options_init(&options);
  options.buffer_bytes = 256 * 1024;
  npuprof_session* session = npuprof_session_open_directory(path.c_str(), &options);
  ASSERT_EQ(npuprof_session_start(session), NPUPROF_OK);
  const auto end = std::chrono::steady_clock::now() + test_duration();
  std::atomic<std::uint64_t> recorded_events{0};
  const auto work = [&](int number) {
    const Name name("thread " + std::to_string(number));
    while (std::chrono::steady_clock::now() < end) {
      // A short life of some hundred ranges; then another thread goes on.
      std::thread([&] {
        for (int i = 0; i < 200; ++i) {
          const Range outer(name);
          const TextRange inner("inner " + std::to_string(number));
        }
        recorded_events += 400;
      }).join();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  npuprof_stats stats;
  npuprof_session_finalize(session, &stats);
  EXPECT_EQ(stats.events_lost, 0u);
  EXPECT_EQ(stats.events_written + stats.events_dropped, recorded_events);
  EXPECT_GT(stats.events_written, 10'000u);

  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.op_count(), stats.events_written);
  const auto& ops = recorded.trace.framework_ops();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < recorded.op_count(); ++i) {
    const std::string_view name = recorded.name(i);
    if (!name.starts_with("inner ") || ops.parent[i] == trace::kNone) continue;
    const std::uint32_t parent = ops.parent[i];
    // The number after the blank is that of the thread.
    wrong += recorded.name(parent).substr(7) != name.substr(6) ? 1 : 0;
    wrong += ops.tid[parent] != ops.tid[i] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0u);
}

// Of every kind of event, through buffers that are much too small for all.
TEST(ManyThreads, ParallelThreadsWithTinyBuffersCountEachEventOnce) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  constexpr std::uint64_t kEventsPerRound = 8;
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  npuprof_options options;
  npuprof_options_init(&options);
  options.buffer_bytes = 1;  // The smallest there is.
  npuprof_session* session = npuprof_session_open_directory(path.c_str(), &options);
  ASSERT_EQ(npuprof_session_start(session), NPUPROF_OK);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([] {
      const Domain domain("domain");
      const Counter counter("counter");
      for (int i = 0; i < kRounds; ++i) {
        NPUPROF_RANGE("registered");
        const TextRange known("text");
        const TextRange unique("text " + std::to_string(i));
        npuprof_mark("mark");
        counter.set(i);
        domain.mark("a message that takes more than one place of the ring");
        domain.range_push("pushed");
        domain.range_pop();
        domain.range_end(domain.range_start("started"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  npuprof_stats stats;
  npuprof_session_finalize(session, &stats);
  EXPECT_EQ(stats.events_lost, 0u);
  EXPECT_EQ(stats.events_written + stats.events_dropped, kThreads * kRounds * kEventsPerRound);
  EXPECT_GT(stats.events_dropped, 0u);
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.op_count() + recorded.trace.program_counters().size() +
                recorded.trace.marks().size(),
            stats.events_written);
}

// Sessions begin and end while threads record all the time.
TEST(ManyThreads, ConcurrentSessionsAndThreads) {
  const TemporaryDirectory directory;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        NPUPROF_RANGE("range");
        const TextRange inner("text");
        Domain().mark("mark");
        std::this_thread::yield();
      }
    });
  }
  const auto end = std::chrono::steady_clock::now() + test_duration() / 3;
  for (int i = 0; std::chrono::steady_clock::now() < end || i < 5; ++i) {
    const std::filesystem::path path = directory / (std::to_string(i) + "_ascend_pt");
    npuprof_session* session = npuprof_session_open_directory(path.c_str(), nullptr);
    ASSERT_EQ(npuprof_session_start(session), NPUPROF_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    npuprof_stats stats;
    ASSERT_GE(npuprof_session_finalize(session, &stats), NPUPROF_OK);
    const Recorded recorded = load_recorded(path);
    EXPECT_EQ(recorded.op_count() + recorded.trace.marks().size(), stats.events_written);
    for (std::size_t row = 0; row < recorded.op_count(); ++row) {
      ASSERT_TRUE(recorded.name(row) == "range" || recorded.name(row) == "text");
    }
    std::filesystem::remove_all(path);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace npuprof::record
