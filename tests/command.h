#pragma once

// Runs a program of this project as a user would.

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::testing {

class Command {
 public:
  // `in_child` is called in the new process before the program starts; there it may only use what
  // is safe after a fork, and ends the process by _exit() to say that it cannot go on.
  explicit Command(
      std::vector<std::string> words, const std::function<void()>& in_child = [] {}) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string log = (directory_ / "log").native();
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("cannot fork");
    if (child_ > 0) return;
    const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(descriptor, STDOUT_FILENO);
    ::dup2(descriptor, STDERR_FILENO);
    in_child();
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command() {
    if (is_running()) kill();
  }

  bool is_running() {
    if (child_ <= 0) return false;
    int status = 0;
    const pid_t ended = ::waitpid(child_, &status, WNOHANG);
    if (ended == 0) return true;
    note_end(status);
    return false;
  }

  void kill() {
    if (child_ > 0) ::kill(child_, SIGKILL);
    wait();
  }

  // As Control-C does.
  void interrupt() const { signal(SIGINT); }

  void signal(int number) const {
    if (child_ > 0) ::kill(child_, number);
  }

  // The exit status; 128 + the signal if one ended it.
  int wait() {
    if (child_ > 0) {
      int status = 0;
      while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
      }
      note_end(status);
    }
    return exit_status_;
  }

  // What the program printed, on both streams. It must have ended.
  std::string output() const { return read_file(directory_ / "log").value_or(""); }

 private:
  void note_end(int status) {
    child_ = -1;
    exit_status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  TemporaryDirectory directory_;
  pid_t child_ = -1;
  int exit_status_ = -1;
};

}  // namespace npuprof::testing
