#include "interpreter_frames.h"

// Up to 3.10 frames are plain structs. 3.11 keeps them in a form of its own, which only an internal
// header describes. Since 3.12 there are functions for all of it that need the interpreter's lock.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#define Py_BUILD_CORE 1  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#endif

namespace npuprof::torch_hooks {

#if PY_VERSION_HEX < 0x030B0000

namespace {

CodePlace raw_place(const PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030A0000
  return {frame->f_code, frame->f_lasti * 2};  // It counts instructions.
#else
  return {frame->f_code, frame->f_lasti};
#endif
}

}  // namespace

CodePlace place_of(PyFrameObject* frame) { return raw_place(frame); }

PyFrameObject* caller_of(PyFrameObject* frame) {
  Py_XINCREF(frame->f_back);
  return frame->f_back;
}

PyObject* first_argument(PyFrameObject* frame) {
  if (frame->f_code->co_argcount == 0) return nullptr;
  PyObject* const value = frame->f_localsplus[0];
  Py_XINCREF(value);
  return value;
}

std::size_t read_stack(CodePlace* places, std::size_t most) {
  const PyThreadState* const thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return 0;
  std::size_t count = 0;
  for (const PyFrameObject* frame = thread->frame; frame != nullptr && count < most;
       frame = frame->f_back) {
    places[count++] = raw_place(frame);
  }
  return count;
}

#elif PY_VERSION_HEX < 0x030C0000

namespace {

CodePlace raw_place(const _PyInterpreterFrame* frame) {
  return {frame->f_code, _PyInterpreterFrame_LASTI(frame) * static_cast<int>(sizeof(_Py_CODEUNIT))};
}

}  // namespace

CodePlace place_of(PyFrameObject* frame) { return raw_place(frame->f_frame); }

PyFrameObject* caller_of(PyFrameObject* frame) { return PyFrame_GetBack(frame); }

PyObject* first_argument(PyFrameObject* frame) {
  if (frame->f_frame->f_code->co_argcount == 0) return nullptr;
  PyObject* value = frame->f_frame->localsplus[0];
  if (value != nullptr && PyCell_Check(value)) value = PyCell_GET(value);
  Py_XINCREF(value);
  return value;
}

// A thread's frames change only while it runs Python code, so it may look at them without the lock.
std::size_t read_stack(CodePlace* places, std::size_t most) {
  const PyThreadState* const thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return 0;
  std::size_t count = 0;
  for (_PyInterpreterFrame* frame = thread->cframe->current_frame; frame != nullptr && count < most;
       frame = frame->previous) {
    if (!_PyFrame_IsIncomplete(frame)) places[count++] = raw_place(frame);
  }
  return count;
}

#else

CodePlace place_of(PyFrameObject* frame) {
  PyCodeObject* const code = PyFrame_GetCode(frame);
  const CodePlace place{code, PyFrame_GetLasti(frame)};
  Py_DECREF(code);  // The frame has it.
  return place;
}

PyFrameObject* caller_of(PyFrameObject* frame) { return PyFrame_GetBack(frame); }

PyObject* first_argument(PyFrameObject* frame) {
  const CodePlace place = place_of(frame);
  if (place.code->co_argcount == 0) return nullptr;
  PyObject* const names = PyCode_GetVarnames(place.code);
  PyObject* value = nullptr;
  if (names != nullptr && PyTuple_GET_SIZE(names) > 0) {
    value = PyFrame_GetVar(frame, PyTuple_GET_ITEM(names, 0));
  }
  Py_XDECREF(names);
  if (value == nullptr) PyErr_Clear();
  return value;
}

std::size_t read_stack(CodePlace* places, std::size_t most) {
  if (PyGILState_GetThisThreadState() == nullptr) return 0;
  const PyGILState_STATE held = PyGILState_Ensure();
  std::size_t count = 0;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr && count < most) {
    places[count++] = place_of(frame);
    PyFrameObject* const caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  Py_XDECREF(frame);
  PyGILState_Release(held);
  return count;
}

#endif

int line_of(CodePlace place) { return PyCode_Addr2Line(place.code, place.offset); }

std::string_view utf8_of(PyObject* text) {
  if (text == nullptr || !PyUnicode_Check(text)) return "?";
  if (PyUnicode_IS_COMPACT_ASCII(text)) {
    return {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text)),
            static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
  }
  const auto* const object = reinterpret_cast<const PyCompactUnicodeObject*>(text);
  if (object->utf8 == nullptr) return "?";
  return {object->utf8, static_cast<std::size_t>(object->utf8_length)};
}

void prepare_utf8(PyObject* text) {
  if (text == nullptr || !PyUnicode_Check(text)) return;
  // Names of files may have bytes that are no text.
  if (PyUnicode_AsUTF8(text) == nullptr) PyErr_Clear();
}

namespace {

template <typename Action>
void for_each_thread(Action action) {
  PyInterpreterState* const interpreter = PyThreadState_Get()->interp;
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(interpreter); thread != nullptr;
       thread = PyThreadState_Next(thread)) {
    action(thread);
  }
}

}  // namespace

#if PY_VERSION_HEX >= 0x03090000 && PY_VERSION_HEX < 0x030D0000

bool set_profile_function(Py_tracefunc function, bool on_all_threads) {
  bool all_free = true;
  PyThreadState* const self = PyThreadState_Get();
  for_each_thread([&](PyThreadState* thread) {
    if (thread != self && !on_all_threads) return;
    if (thread->c_profilefunc == nullptr) {
      if (_PyEval_SetProfile(thread, function, nullptr) < 0) PyErr_Clear();
    } else if (thread->c_profilefunc != function) {
      all_free = false;
    }
  });
  return all_free;
}

void remove_profile_function(Py_tracefunc function) {
  for_each_thread([&](PyThreadState* thread) {
    if (thread->c_profilefunc != function) return;
    if (_PyEval_SetProfile(thread, nullptr, nullptr) < 0) PyErr_Clear();
  });
}

#else

// All threads or one: so if one thread has another profiler, only the calling thread is traced.
bool set_profile_function(Py_tracefunc function, bool on_all_threads) {
  bool all_free = true;
  for_each_thread([&](PyThreadState* thread) {
    all_free &= thread->c_profilefunc == nullptr || thread->c_profilefunc == function;
  });
#if PY_VERSION_HEX >= 0x030C0000
  if (on_all_threads && all_free) {
    PyEval_SetProfileAllThreads(function, nullptr);
    return true;
  }
#endif
  if (PyThreadState_Get()->c_profilefunc != nullptr) return false;
  PyEval_SetProfile(function, nullptr);
  return all_free || !on_all_threads;
}

void remove_profile_function(Py_tracefunc function) {
  bool is_only = true;
  for_each_thread([&](PyThreadState* thread) {
    is_only &= thread->c_profilefunc == nullptr || thread->c_profilefunc == function;
  });
#if PY_VERSION_HEX >= 0x030C0000
  if (is_only) return PyEval_SetProfileAllThreads(nullptr, nullptr);
#endif
  if (PyThreadState_Get()->c_profilefunc == function) PyEval_SetProfile(nullptr, nullptr);
}

#endif

}  // namespace npuprof::torch_hooks
