#pragma once

// What the hooks keep for each thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hook_options.h"
#include "this_thread_buffer.h"

namespace npuprof::torch_hooks {

struct ThreadState {
  std::uint64_t thread_id = 0;  // Of the operating system.

  // Set by enable_thread(); what all threads have otherwise.
  std::optional<HookOptions> own_options;
  std::uint64_t inputs_callback = 0;  // That makes PyTorch hand over inputs on this thread.

  // Calls of Python: when tracing reached the thread, and which tracing it knows of.
  std::uint64_t traced_from_ticks = 0;
  std::uint32_t tracing = 0;
  std::vector<bool> open_calls;  // Whether each is one of a C function, outermost first.
  // As many of them are told; the others are inside of a function that is not.
  static constexpr std::size_t kAllCalls = static_cast<std::size_t>(-1);
  std::size_t told_calls = kAllCalls;

  // Call stacks that were told to the recorder: numbers by what the stack is made of.
  std::unordered_map<std::uint64_t, std::uint32_t> stack_numbers;
  std::uint32_t stack_epoch = 0;
  // The frame that runs, counted by functions entered and left; and what its callers are made of,
  // if that is known of this frame.
  std::uint64_t python_frame = 1;
  std::uint64_t callers_of_frame = 0;
  std::uint64_t callers_hash = 0;

  // Inside a device that is played on the host: what happens in its memory is not the program's.
  std::uint32_t device_work = 0;
};

// Whether this process was forked off after the hooks were first used.
bool is_forked_child();

// The state of the calling thread; made when it is needed first, gone with the thread.
ThreadState& make_thread_state();

// The id of a thread that PyTorch knows by a number of its own; that number if the thread ran none
// of our hooks, or very many threads came since.
std::uint64_t thread_of_ordinal(std::uint64_t ordinal);

// One pointer, and of a model that needs no function call.
extern constinit thread_local ThreadState* thread_state __attribute__((tls_model("initial-exec")));
inline ThreadState& this_thread() {
  return thread_state != nullptr ? *thread_state : make_thread_state();
}

}  // namespace npuprof::torch_hooks
