// Signal handlers that record, at any moment of what they interrupt.

#include <atomic>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "npuprof/record.hpp"
#include "record/recorded.h"
#include "temporary_directory.h"
#include "trace/framework/program_counters.h"
#include "trace/host/marks.h"

namespace npuprof::record {
namespace {

using npuprof::testing::TemporaryDirectory;
using testing::ChildResult;
using testing::load_recorded;
using testing::Recorded;
using testing::run_in_child;

constexpr unsigned kPatienceSeconds = 120;  // A recorder that waits for ever is killed then.
constexpr std::uint64_t kEventsOfHandler = 6;

std::atomic<std::uint64_t> handler_calls{0};
npuprof_name handler_name = 0;
npuprof_domain handler_domain = 0;

void record_in_handler(int /*signal*/) {
  handler_calls.fetch_add(1, std::memory_order_relaxed);
  npuprof_range_push_id(handler_name);
  npuprof_range_push("text in a handler");
  npuprof_mark_id(handler_name);
  npuprof_counter(handler_name, 1);
  npuprof_range_push_a(handler_domain, "message");
  npuprof_range_pop_a(handler_domain);
  npuprof_range_pop();
  npuprof_range_pop();
  const npuprof_begin_time begin = npuprof_range_begin();
  npuprof_range_end(handler_name, begin);
}

void install_handler() {
  handler_name = npuprof_name_id("handler");
  handler_domain = npuprof_domain_create("handlers");
  struct sigaction action {};
  action.sa_handler = record_in_handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
}

// Sends the signal to the calling thread over and over. Each one has been handled when this object
// is gone.
class Bombardment {
 public:
  Bombardment() {
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGUSR1;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    EXPECT_EQ(::timer_create(CLOCK_MONOTONIC, &event, &timer_), 0);
    // Longer than the handler takes, or nothing else would ever run.
    const timespec period{.tv_sec = 0, .tv_nsec = 200'000};
    const itimerspec schedule{.it_interval = period, .it_value = period};
    EXPECT_EQ(::timer_settime(timer_, 0, &schedule, nullptr), 0);
  }
  Bombardment(const Bombardment&) = delete;
  Bombardment& operator=(const Bombardment&) = delete;
  // The last signal, if it is still to come, comes on the way out of the kernel.
  ~Bombardment() { ::timer_delete(timer_); }

 private:
  timer_t timer_{};
};

npuprof_session* open_small(const std::filesystem::path& path) {
  npuprof_options options;
  npuprof_options_init(&options);
  options.flush_interval_ms = 5;
  return npuprof_session_open_directory(path.c_str(), &options);
}

// 0 if every event was written or counted.
int record_under_signals(const std::filesystem::path& path, npuprof_stats& stats) {
  ::alarm(kPatienceSeconds);
  install_handler();
  npuprof_session* const session = open_small(path);
  if (npuprof_session_start(session) != NPUPROF_OK) return 1;
  handler_calls = 0;
  std::uint64_t events = 0;
  {
    const Bombardment bombardment;
    for (int i = 0; handler_calls < 1000 || i < 1000; ++i) {
      NPUPROF_RANGE("registered");
      const TextRange known("text");
      const TextRange unique("text " + std::to_string(i));
      npuprof_mark("mark");
      npuprof_name_id(("name " + std::to_string(i % 5000)).c_str());
      Domain("domain").mark("marker");
      events += 5;
    }
  }
  events += handler_calls * kEventsOfHandler;
  npuprof_session_finalize(session, &stats);
  return stats.events_written + stats.events_dropped == events ? 0 : 2;
}

TEST(Signals, AHandlerThatInterruptsTheRecorderLosesNothingUncounted) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  const testing::Shared<npuprof_stats> stats;
  const ChildResult child = run_in_child([&] { return record_under_signals(path, *stats); });
  EXPECT_EQ(child.code, 0) << child.errors;
  EXPECT_GT(stats->events_written, 0u);
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.op_count() + recorded.trace.program_counters().size() +
                recorded.trace.marks().size(),
            stats->events_written);
}

// The first event of a recording takes another way than those that follow.
TEST(Signals, AHandlerMayInterruptSessionsThatBeginAndEnd) {
  const TemporaryDirectory directory;
  const ChildResult child = run_in_child([&] {
    ::alarm(kPatienceSeconds);
    install_handler();
    std::atomic<bool> done{false};
    std::thread neighbour([&] {
      for (int i = 0; !done; ++i) npuprof_name_id(("other " + std::to_string(i % 5000)).c_str());
    });
    {
      const Bombardment bombardment;
      for (int i = 0; handler_calls < 300 || i < 20; ++i) {
        npuprof_session* const session = open_small(directory / "a_ascend_pt");
        npuprof_session_start(session);
        for (int j = 0; j < 50; ++j) {
          const TextRange range("text");
          npuprof_name_id(("name " + std::to_string(j)).c_str());
          npuprof_domain_create(("domain " + std::to_string(j)).c_str());
        }
        npuprof_session_finalize(session, nullptr);
      }
    }
    done = true;
    neighbour.join();
    return 0;
  });
  EXPECT_EQ(child.code, 0) << child.errors;
}

// Threads whose first event comes from a handler, while they allocate.
TEST(Signals, AHandlerMayBeTheFirstToRecord) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  const ChildResult child = run_in_child([&] {
    ::alarm(kPatienceSeconds);
    install_handler();
    npuprof_session* const session = open_small(path);
    if (npuprof_session_start(session) != NPUPROF_OK) return 1;
    handler_calls = 0;
    for (int i = 0; i < 50; ++i) {
      std::thread([] {
        const std::uint64_t before = handler_calls;
        const Bombardment bombardment;
        while (handler_calls < before + 3) std::vector<std::string>(10, std::string(100, 'x'));
      }).join();
    }
    npuprof_stats stats;
    npuprof_session_finalize(session, &stats);
    if (stats.events_written + stats.events_dropped != handler_calls * kEventsOfHandler) return 2;
    return stats.threads == 50 ? 0 : 3;
  });
  EXPECT_EQ(child.code, 0) << child.errors;
}

}  // namespace
}  // namespace npuprof::record
