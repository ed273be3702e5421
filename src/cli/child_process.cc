#include "cli/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace npuprof::cli {
namespace {

volatile std::sig_atomic_t child_pid = 0;

void pass_on(int signal) {
  const int keep = errno;
  if (child_pid > 0) ::kill(child_pid, signal);
  errno = keep;
}

// The terminal sends these to the program too; this process has to stay to report.
constexpr std::array kIgnored = {SIGINT, SIGQUIT};
// These are sent to one process: hand them on.
constexpr std::array kPassedOn = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// main() ignores these, a program that it starts must not.
constexpr std::array kIgnoredByMain = {SIGXFSZ, SIGPIPE};

// Signals as this process had them when the object goes. Until release() they wait: there is no
// program yet that they could be handed to.
class SignalsAside {
 public:
  SignalsAside() {
    sigset_t waiting;
    ::sigemptyset(&waiting);
    for (const int signal : kPassedOn) ::sigaddset(&waiting, signal);
    ::sigprocmask(SIG_BLOCK, &waiting, &mask_before_);
    std::size_t place = 0;
    struct sigaction action {};
    ::sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    for (const int signal : kIgnored) ::sigaction(signal, &action, &before_[place++]);
    action.sa_handler = pass_on;
    for (const int signal : kPassedOn) ::sigaction(signal, &action, &before_[place++]);
  }
  SignalsAside(const SignalsAside&) = delete;
  SignalsAside& operator=(const SignalsAside&) = delete;
  ~SignalsAside() { restore(); }

  void release() const { ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }
  void restore() const {
    std::size_t place = 0;
    for (const int signal : kIgnored) ::sigaction(signal, &before_[place++], nullptr);
    for (const int signal : kPassedOn) ::sigaction(signal, &before_[place++], nullptr);
    release();
  }

 private:
  std::array<struct sigaction, kIgnored.size() + kPassedOn.size()> before_{};
  sigset_t mask_before_{};
};

// In the child. Does not return; errors go to the pipe.
[[noreturn]] void become(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& variables, int errors) {
  for (const int signal : kIgnoredByMain) std::signal(signal, SIG_DFL);
  for (const std::string& variable : variables) {
    ::putenv(const_cast<char*>(variable.c_str()));
  }
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  const int reason = errno;
  (void)!::write(errors, &reason, sizeof(reason));
  ::_exit(127);
}

ProgramEnd wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.status = 0, .signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

Result<ProgramEnd> run_and_wait(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& variables) {
  // Closed by a successful start, so that reading from it tells whether there was one.
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("cannot start", arguments[0], errno);
  const SignalsAside aside;
  const pid_t child = ::fork();
  if (child == 0) {
    aside.restore();
    become(arguments, variables, ends[1]);
  }
  const int fork_reason = errno;
  child_pid = child;
  aside.release();
  ::close(ends[1]);
  int reason = 0;
  ssize_t got = 0;
  do {
    got = ::read(ends[0], &reason, sizeof(reason));
  } while (got < 0 && errno == EINTR);
  ::close(ends[0]);
  if (child < 0) return Error::from_errno("cannot start", arguments[0], fork_reason);
  const ProgramEnd end = wait_for(child);
  child_pid = 0;
  if (got > 0) return Error::from_errno("cannot start", arguments[0], reason);
  return end;
}

}  // namespace npuprof::cli
