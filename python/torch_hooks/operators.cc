#include "operators.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include <ATen/record_function.h>
#include <pthread.h>

#include "input_values.h"
#include "memory_reports.h"
#include "python_stack.h"
#include "thread_state.h"

namespace npuprof::torch_hooks {
namespace {

using record::DetachedOp;
using record::OpScope;
using record::ThreadBuffer;

std::mutex hooks_mutex;  // Of starting and stopping.
at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;
std::atomic<HookOptions> common{HookOptions{}};
static_assert(std::atomic<HookOptions>::is_always_lock_free);
std::atomic<void (*)(const at::RecordFunction&)> on_enter{nullptr};
std::atomic<void (*)(const at::RecordFunction&)> on_leave{nullptr};

HookOptions options_of(const ThreadState& thread) {
  return thread.own_options ? *thread.own_options : common.load(std::memory_order_relaxed);
}

OpScope scope_of(const at::RecordFunction& function) {
  return static_cast<OpScope>(function.scope());
}

std::uint64_t forward_thread_of(const at::RecordFunction& function) {
  const std::uint64_t ordinal = function.forwardThreadId();
  return ordinal == 0 ? 0 : thread_of_ordinal(ordinal);
}

// Autograd nodes have no stack: who called them is the engine.
bool wants_stack(const HookOptions& options, const at::RecordFunction& function) {
  return options.stacks && function.scope() != at::RecordScope::BACKWARD_FUNCTION;
}

// An operator that may end on another thread, or in another order than it began.
struct DetachedContext : at::ObserverContext {
  DetachedOp op;
  std::string name;
  std::string inputs;
  std::string stack;
};

bool is_detached(const at::RecordFunction& function) {
  // Ranges of programs are objects of Python, which may end when they like.
  return function.scope() == at::RecordScope::USER_SCOPE || function.isAsync();
}

std::unique_ptr<at::ObserverContext> begin_detached(const at::RecordFunction& function,
                                                    const HookOptions& options, ThreadState& thread,
                                                    ThreadBuffer& buffer) {
  auto context = std::make_unique<DetachedContext>();
  context->name = function.name();
  if (options.inputs()) {
    record::OpInputs inputs = buffer.inputs(options.details(), options.flops);
    put_inputs(function.inputs(), inputs);
    if (!inputs.overflowed() && !function.inputs().empty()) context->inputs = inputs.bytes();
  }
  if (wants_stack(options, function)) context->stack = python_stack_text(thread);
  context->op = {.begin_ticks = record::now_ticks(),
                 .start_thread_id = thread.thread_id,
                 .sequence = function.seqNr(),
                 .forward_thread = forward_thread_of(function),
                 .scope = scope_of(function),
                 .is_async = function.isAsync()};
  return context;
}

void begin_nested(const at::RecordFunction& function, const HookOptions& options,
                  ThreadState& thread, ThreadBuffer& buffer) {
  buffer.begin_op(function.name(), function.seqNr(), forward_thread_of(function),
                  scope_of(function));
  if (options.inputs() && !function.inputs().empty()) {
    record::OpInputs inputs = buffer.inputs(options.details(), options.flops);
    put_inputs(function.inputs(), inputs);
    buffer.attach_inputs(inputs);
  }
  if (wants_stack(options, function)) attach_python_stack(thread, buffer);
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  ThreadState& thread = this_thread();
  const HookOptions options = options_of(thread);
  std::unique_ptr<at::ObserverContext> context;
  if (options.operators) {
    if (ThreadBuffer* const buffer = this_thread_buffer()) {
      if (options.memory && buffer->depth() == 0) take_memory_slot();
      if (is_detached(function)) {
        context = begin_detached(function, options, thread, *buffer);
      } else {
        begin_nested(function, options, thread, *buffer);
      }
    }
  }
  if (const auto enter = on_enter.load(std::memory_order_relaxed)) {
    if (!is_detached(function)) enter(function);
  }
  return context;
}

void end(const at::RecordFunction& function, at::ObserverContext* context) {
  ThreadBuffer* const buffer = this_thread_buffer();
  if (context != nullptr) {
    const auto& detached = static_cast<const DetachedContext&>(*context);
    if (buffer != nullptr) {
      buffer->detached_op(detached.op, detached.name, detached.inputs, detached.stack);
    }
  } else if (!is_detached(function)) {
    if (const auto leave = on_leave.load(std::memory_order_relaxed)) leave(function);
    if (buffer != nullptr && options_of(this_thread()).operators) buffer->end();
  }
}

// Nothing may get out of a callback. PyTorch would report it once for each operator.
std::unique_ptr<at::ObserverContext> guarded_begin(const at::RecordFunction& function) noexcept {
  try {
    return begin(function);
  } catch (...) {
    return nullptr;
  }
}

void guarded_end(const at::RecordFunction& function, at::ObserverContext* context) noexcept {
  try {
    end(function, context);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// PyTorch tells a thread of new callbacks under a lock, at its next operator. A forked child might
// find the lock taken by a thread that it does not have, so the thread that forks is told before.
void refresh_this_thread() { const at::RecordFunction unused(at::RecordScope::FUNCTION); }

// Until the fork is done there are no new callbacks of ours.
void before_fork() {
  hooks_mutex.lock();
  refresh_this_thread();
}
void after_fork() { hooks_mutex.unlock(); }

std::unique_ptr<at::ObserverContext> do_nothing(const at::RecordFunction&) { return nullptr; }

}  // namespace

void start_operators(const HookOptions& options, OperatorListener listener) {
  const std::lock_guard lock(hooks_mutex);
  if (handle != at::INVALID_CALLBACK_HANDLE) return;
  common = options;
  on_enter = listener.enter;
  on_leave = listener.leave;
  at::RecordFunctionCallback callback(&guarded_begin, &guarded_end);
  callback.needsInputs(options.inputs() || listener.enter != nullptr);
  callback.needsOutputs(listener.leave != nullptr);
  handle = at::addGlobalCallback(callback);
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(&before_fork, &after_fork, &after_fork);
}

void stop_operators() {
  const std::lock_guard lock(hooks_mutex);
  if (handle == at::INVALID_CALLBACK_HANDLE) return;
  at::removeCallback(handle);
  handle = at::INVALID_CALLBACK_HANDLE;
  on_enter = nullptr;
  on_leave = nullptr;
}

void forget_options() { common = HookOptions{}; }

bool operators_are_recorded() { return options_of(this_thread()).operators; }

void set_thread_options(const HookOptions& options) {
  clear_thread_options();
  ThreadState& thread = this_thread();
  thread.own_options = options;
  // PyTorch hands over inputs if one of the callbacks of the thread asks for them.
  if (options.inputs()) {
    at::RecordFunctionCallback callback(&do_nothing);
    callback.needsInputs(true);
    thread.inputs_callback = at::addThreadLocalCallback(callback);
  }
}

void clear_thread_options() {
  ThreadState& thread = this_thread();
  thread.own_options.reset();
  if (thread.inputs_callback != 0) {
    at::removeCallback(thread.inputs_callback);
    thread.inputs_callback = 0;
  }
}

}  // namespace npuprof::torch_hooks
