#include "thread_state.h"

#include <atomic>
#include <memory>

#include <pthread.h>
#include <unistd.h>

namespace npuprof::torch_hooks {
namespace {

// Only ends the state with its thread.
struct Owner {
  ~Owner() { thread_state = nullptr; }
  std::unique_ptr<ThreadState> state;
};
thread_local Owner owner;

std::atomic<bool> forked{false};

void enter_child() {
  forked = true;
  if (thread_state != nullptr) {
    thread_state->thread_id = static_cast<std::uint64_t>(::gettid());
  }
}

}  // namespace

constinit thread_local ThreadState* thread_state = nullptr;

bool is_forked_child() { return forked.load(std::memory_order_relaxed); }

ThreadState& make_thread_state() {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, enter_child);
  owner.state = std::make_unique<ThreadState>();
  thread_state = owner.state.get();
  thread_state->thread_id = static_cast<std::uint64_t>(::gettid());
  return *thread_state;
}

}  // namespace npuprof::torch_hooks
