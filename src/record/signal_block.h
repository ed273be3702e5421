#pragma once

#include <csignal>

namespace npuprof::record {

// Keeps signals away from this thread, and from threads it makes meanwhile. So no handler of the
// user runs where it does not expect to, and a write beyond the limit on file sizes fails instead
// of ending the program.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    ::sigfillset(&all);
    is_set_ = ::pthread_sigmask(SIG_SETMASK, &all, &before_) == 0;
  }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;
  ~SignalBlock() {
    // A signal that a write of ours raised must not come later either.
    const timespec no_wait{};
    sigset_t size_limit;
    ::sigemptyset(&size_limit);
    ::sigaddset(&size_limit, SIGXFSZ);
    if (::sigismember(&before_, SIGXFSZ) == 0) {
      while (::sigtimedwait(&size_limit, nullptr, &no_wait) == SIGXFSZ) {
      }
    }
    if (is_set_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
  bool is_set_ = false;
};

}  // namespace npuprof::record
