#pragma once

// Operators, autograd nodes and ranges of PyTorch, through its RecordFunction callbacks. One
// callback sees all threads.

#include "hook_options.h"

namespace at {
struct RecordFunction;
}

namespace npuprof::torch_hooks {

// Is told of operators that nest, with their inputs when they begin and their outputs when they
// end, whether they are recorded or not.
struct OperatorListener {
  void (*enter)(const at::RecordFunction& function) = nullptr;
  void (*leave)(const at::RecordFunction& function) = nullptr;
};

void start_operators(const HookOptions& options, OperatorListener listener);
void stop_operators();
// After stop_operators() some of the program's work may still be recorded, up to this.
void forget_options();

// Whether what the calling thread does for operators is to be recorded.
bool operators_are_recorded();

// The calling thread has options of its own from now on, or no longer.
void set_thread_options(const HookOptions& options);
void clear_thread_options();

}  // namespace npuprof::torch_hooks
