#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

#include <cstdlib>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/record/lttng.h"
#include "bench/record/lttng_tracepoints.h"

namespace bench {
namespace {

bool run(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

// Waits some seconds for `condition`.
template <typename Condition>
bool wait_for(Condition condition) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (condition()) return true;
    ::usleep(50'000);
  }
  return false;
}

// A session daemon of our own, which says nothing; 0 if that fails.
pid_t start_daemon() {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char program[] = "lttng-sessiond";
  char no_kernel[] = "--no-kernel";
  char* const arguments[] = {program, no_kernel, nullptr};
  pid_t daemon = 0;
  const int error = ::posix_spawnp(&daemon, program, &actions, nullptr, arguments, ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? daemon : 0;
}

}  // namespace

LttngSession::LttngSession() : session_("npuprof-bench-" + std::to_string(::getpid())) {
  if (!run("command -v lttng lttng-sessiond")) {
    reason_ = "lttng-tools is not installed";
    return;
  }
  if (!run("lttng --no-sessiond list")) daemon_ = start_daemon();
  if (!wait_for([] { return run("lttng --no-sessiond list"); }) ||
      !run("lttng create --snapshot " + session_) ||
      !run("lttng enable-event -u npuprof_bench:range -s " + session_) ||
      !run("lttng start " + session_)) {
    reason_ = "its session daemon does not run and cannot be started";
  } else if (!wait_for([] { return lttng_ust_tracepoint_enabled(npuprof_bench, range) != 0; })) {
    reason_ = "its tracepoints could not be switched on";
  }
}

LttngSession::~LttngSession() {
  run("lttng destroy " + session_);
  if (daemon_ == 0) return;
  ::kill(daemon_, SIGTERM);
  ::waitpid(daemon_, nullptr, 0);
}

void lttng_ranges(int count) {
  for (int i = 0; i < count; ++i) {
    lttng_ust_tracepoint(npuprof_bench, range, 1, static_cast<uint64_t>(i));
    lttng_ust_tracepoint(npuprof_bench, range, 0, static_cast<uint64_t>(i));
  }
}

}  // namespace bench
