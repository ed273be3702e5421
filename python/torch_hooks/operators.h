#pragma once

// Operators, autograd nodes and ranges of PyTorch, through its RecordFunction callbacks. One
// callback sees all threads.

#include "device_link.h"
#include "hook_options.h"

namespace npuprof::torch_hooks {

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
