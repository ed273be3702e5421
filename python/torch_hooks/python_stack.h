#pragma once

// Call stacks of operators, as text: "file(line): function" from the innermost frame on, joined
// with
// ';'. Read without the interpreter's lock, which PyTorch gives up while operators run.

#include <string>

#include "thread_state.h"

namespace npuprof::torch_hooks {

// Attaches the stack to the innermost open operator, if the calling thread is traced.
void attach_python_stack(ThreadState& thread, record::ThreadBuffer& buffer);

// Empty if the calling thread is not traced.
std::string python_stack_text(const ThreadState& thread);

}  // namespace npuprof::torch_hooks
