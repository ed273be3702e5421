#include "thread_state.h"

#include <memory>

#include <pthread.h>
#include <unistd.h>

namespace npuprof::torch_hooks {
namespace {

// A plain pointer is what reading costs least; the owner beside it only ends the state.
thread_local ThreadState* current = nullptr;
thread_local std::unique_ptr<ThreadState> owner;

void enter_child() {
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

ThreadState& this_thread() { return current != nullptr ? *current : make_state(); }

}  // namespace npuprof::torch_hooks
