#include "thread_state.h"

#include <array>
#include <atomic>
#include <memory>

#include <ATen/record_function.h>
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

// Threads by ordinal, the last ones only: ordinals are not given twice. An entry has the ordinal in
// its upper half and the id in its lower one.
constexpr std::size_t kKnownThreads = 4096;
std::array<std::atomic<std::uint64_t>, kKnownThreads> known_threads;

void note_thread(ThreadState& thread) {
  thread.thread_id = static_cast<std::uint64_t>(::gettid());
  const std::uint64_t ordinal = at::RecordFunction::currentThreadId();
  known_threads[ordinal % kKnownThreads].store(ordinal << 32 | thread.thread_id,
                                               std::memory_order_relaxed);
}

void enter_child() {
  forked = true;
  if (thread_state != nullptr) note_thread(*thread_state);
}

}  // namespace

constinit thread_local ThreadState* thread_state = nullptr;

bool is_forked_child() { return forked.load(std::memory_order_relaxed); }

ThreadState& make_thread_state() {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, enter_child);
  owner.state = std::make_unique<ThreadState>();
  thread_state = owner.state.get();
  note_thread(*thread_state);
  return *thread_state;
}

std::uint64_t thread_of_ordinal(std::uint64_t ordinal) {
  const std::uint64_t entry =
      known_threads[ordinal % kKnownThreads].load(std::memory_order_relaxed);
  return entry != 0 && entry >> 32 == ordinal ? entry & 0xFFFFFFFF : ordinal;
}

}  // namespace npuprof::torch_hooks
