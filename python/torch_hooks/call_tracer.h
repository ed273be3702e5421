#pragma once

// Calls of Python functions, C functions and modules, through the interpreter's profile function.
// While it traces, the code objects of all functions that were called stay alive.

#include <array>
#include <string>
#include <vector>

#include <Python.h>

#include "thread_state.h"

namespace npuprof::torch_hooks {

struct TracerOptions {
  // Cut from the front of file names; the first one that fits.
  std::vector<std::string> path_prefixes;
  // Code of the function that calls modules, and of the one that optimizers call after a step; each
  // may be null.
  PyObject* module_call_code = nullptr;
  PyObject* optimizer_step_code = nullptr;
  // Code of functions that are not told, nor what they call: ranges begin and end inside of them,
  // and would overlap with them. Some may be null.
  std::array<PyObject*, 3> hidden_codes = {};
  bool parameters = false;  // Tensors of modules and optimizers are told, too.
};

// These need the interpreter's lock.

// Begins to trace, or goes on: `on_all_threads`, or the calling one too. False if a thread has a
// profile function of its own; that thread is not traced.
bool start_call_tracer(const TracerOptions& options, bool on_all_threads);
// A thread that has just begun.
void trace_new_thread();
void stop_call_tracer();
// Stops for the sake of another tracer, which needs all threads.
void leave_python_calls();
// Whether that has happened since the last start.
bool python_calls_were_left();

// Whether the frames of the calling thread are known, so that its stack may be told. Needs no lock.
bool is_traced(const ThreadState& thread);

}  // namespace npuprof::torch_hooks
