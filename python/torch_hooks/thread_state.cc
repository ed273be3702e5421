#include "thread_state.h"

#include <atomic>
#include <memory>

#include <pthread.h>
#include <unistd.h>

namespace npuprof::torch_hooks {
namespace {

// A plain pointer is what reading costs least; the owner beside it only ends the state.
thread_local ThreadState* current = nullptr;
thread_local std::unique_ptr<ThreadState> owner;

std::atomic<bool> forked{false};

void enter_child() {
  forked = true;
  if (current != nullptr) current->thread_id = static_cast<std::uint64_t>(::gettid());
}

[[gnu::noinline]] ThreadState& make_state() {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, enter_child);
  owner = std::make_unique<ThreadState>();
  current = owner.get();
  current->thread_id = static_cast<std::uint64_t>(::gettid());
  return *current;
}

}  // namespace

bool is_forked_child() { return forked.load(std::memory_order_relaxed); }

ThreadState& this_thread() { return current != nullptr ? *current : make_state(); }

}  // namespace npuprof::torch_hooks
