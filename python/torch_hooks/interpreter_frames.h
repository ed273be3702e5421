#pragma once

// Frames of the interpreter. All that depends on its version is in interpreter_frames.cc.

#include <cstddef>
#include <string_view>

#include <Python.h>
#include <frameobject.h>

namespace npuprof::torch_hooks {

// Where a frame is. The code belongs to others; see python_tracer.h for how long it lives. Has no
// initial value: stacks of them are read for each operator.
struct CodePlace {
  PyCodeObject* code;
  int offset;  // Of the instruction, in bytes.
};

// The place of a frame; needs the interpreter's lock.
CodePlace place_of(PyFrameObject* frame);
// The frame that called this one, as a new reference; null for the outermost one. Needs the lock.
PyFrameObject* caller_of(PyFrameObject* frame);
// The first argument of the function of a frame that has just been entered, as a new reference;
// null if there is none. Needs the lock.
PyObject* first_argument(PyFrameObject* frame);

// Places of the calling thread's frames, innermost first; returns how many were written. The thread
// may or may not hold the interpreter's lock.
std::size_t read_stack(CodePlace* places, std::size_t most);

int line_of(CodePlace place);

// Texts without the interpreter's lock: only those in plain ASCII, and those that somebody has
// asked for in UTF-8 before; "?" otherwise.
std::string_view utf8_of(PyObject* text);
// With the lock: makes the text known to utf8_of().
void prepare_utf8(PyObject* text);

// Installs `function` as profile function, on the calling thread or on all threads of the
// interpreter, except where there is one already. False if there was one. Needs the lock.
bool set_profile_function(Py_tracefunc function, bool on_all_threads);
// Removes `function` from all threads that have it. Needs the lock.
void remove_profile_function(Py_tracefunc function);

}  // namespace npuprof::torch_hooks
