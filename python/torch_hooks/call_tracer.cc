#include "call_tracer.h"

#include <array>
#include <atomic>
#include <memory>
#include <unordered_set>
#include <utility>

#include "interpreter_frames.h"
#include "interpreter_names.h"
#include "parameters.h"

namespace npuprof::torch_hooks {
namespace {

using record::PythonTag;
using record::ThreadBuffer;

// At most this many of the frames that were open when tracing reached a thread, the innermost.
constexpr std::size_t kMostOpenFrames = 129;

int trace(PyObject*, PyFrameObject* frame, int what, PyObject* argument) noexcept;

// One tracing, from start to stop. Everything happens with the interpreter's lock.
class Tracer {
 public:
  explicit Tracer(const TracerOptions& options)
      : names_(options.path_prefixes),
        options_(options),
        number_(++last_number),
        begin_ticks_(record::now_ticks()) {
    Py_XINCREF(options_.module_call_code);
    Py_XINCREF(options_.optimizer_step_code);
    for (PyObject* const code : options_.hidden_codes) Py_XINCREF(code);
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  ~Tracer() {
    Py_XDECREF(options_.module_call_code);
    Py_XDECREF(options_.optimizer_step_code);
    for (PyObject* const code : options_.hidden_codes) Py_XDECREF(code);
  }

  std::uint32_t number() const { return number_; }

  void handle(PyFrameObject* frame, int what, PyObject* argument, ThreadState& thread,
              ThreadBuffer& buffer) {
    if (thread.tracing != number_) meet(frame, what, thread, buffer);
    switch (what) {
      case PyTrace_CALL: {
        ++thread.python_frame;
        const CodePlace place = place_of(frame);
        const std::uint64_t key = key_of(frame, place, buffer);
        if (begin_call(thread, place)) buffer.python(PythonTag::kCall, key);
        break;
      }
      case PyTrace_C_CALL:
        if (argument == nullptr) break;
        thread.open_calls.push_back(true);
        if (thread.open_calls.size() > thread.told_calls) break;
        buffer.python(PythonTag::kCCall, names_.c_function(argument, buffer));
        break;
      case PyTrace_RETURN:
        ++thread.python_frame;
        if (thread.open_calls.empty()) break;
        if (end_call(thread)) buffer.python(PythonTag::kReturn, InterpreterNames::kExitKey);
        break;
      case PyTrace_C_RETURN:
      case PyTrace_C_EXCEPTION:
        // The function may have been called before tracing began.
        if (thread.open_calls.empty() || !thread.open_calls.back()) break;
        if (end_call(thread)) buffer.python(PythonTag::kCReturn, InterpreterNames::kExitKey);
        break;
      default:
        break;
    }
  }

  // Ends the calls that are open on a thread, as what they contain may end later than the last
  // call.
  void end_calls(ThreadState& thread, ThreadBuffer& buffer) const {
    if (thread.tracing != number_) return;
    while (!thread.open_calls.empty()) {
      const PythonTag tag = thread.open_calls.back() ? PythonTag::kCReturn : PythonTag::kReturn;
      if (end_call(thread)) buffer.python(tag, InterpreterNames::kExitKey);
    }
  }

 private:
  bool is_hidden(CodePlace place) const {
    auto* const code = reinterpret_cast<PyObject*>(place.code);
    for (PyObject* const hidden : options_.hidden_codes) {
      if (code == hidden) return true;
    }
    return false;
  }

  // Whether the call of a Python function is told.
  bool begin_call(ThreadState& thread, CodePlace place) const {
    if (thread.told_calls == ThreadState::kAllCalls && is_hidden(place)) [[unlikely]] {
      thread.told_calls = thread.open_calls.size();
    }
    thread.open_calls.push_back(false);
    return thread.open_calls.size() <= thread.told_calls;
  }

  // Whether the end of the innermost call is told.
  static bool end_call(ThreadState& thread) {
    const bool is_told = thread.open_calls.size() <= thread.told_calls;
    thread.open_calls.pop_back();
    if (!is_told && thread.open_calls.size() == thread.told_calls) {
      thread.told_calls = ThreadState::kAllCalls;
    }
    return is_told;
  }

  // Tells the frames that are open already, outermost first.
  void meet(PyFrameObject* frame, int what, ThreadState& thread, ThreadBuffer& buffer) {
    ++thread.python_frame;
    names_.tell_exit(buffer);
    const bool is_new_thread = thread.traced_from_ticks > begin_ticks_;
    const std::uint64_t ticks = is_new_thread ? thread.traced_from_ticks : begin_ticks_;
    std::array<PyFrameObject*, kMostOpenFrames> open;
    std::size_t count = 0;
    Py_INCREF(frame);
    PyFrameObject* next = frame;
    if (what == PyTrace_CALL) {
      next = caller_of(frame);
      Py_DECREF(frame);
    }
    while (next != nullptr && count < open.size()) {
      open[count++] = next;
      next = caller_of(next);
    }
    Py_XDECREF(next);
    thread.open_calls.clear();
    thread.told_calls = ThreadState::kAllCalls;
    while (count > 0) {
      --count;
      const CodePlace place = place_of(open[count]);
      const std::uint64_t key = key_of(open[count], place, buffer);
      if (begin_call(thread, place)) buffer.python(PythonTag::kCall, key, ticks);
      Py_DECREF(open[count]);
    }
    thread.tracing = number_;
  }

  std::uint64_t key_of(PyFrameObject* frame, CodePlace place, ThreadBuffer& buffer) {
    auto* const code = reinterpret_cast<PyObject*>(place.code);
    if (code == options_.module_call_code) [[unlikely]] {
      // Also keeps the code, for stacks.
      const std::uint64_t plain = names_.function(place, buffer);
      const std::uint64_t key = module_key(frame, buffer);
      return key != 0 ? key : plain;
    }
    const std::uint64_t key = names_.function(place, buffer);
    if (code == options_.optimizer_step_code) [[unlikely]]
      tell_optimizer(frame, key, buffer);
    return key;
  }

  // 0 if the frame has no object.
  std::uint64_t module_key(PyFrameObject* frame, ThreadBuffer& buffer) {
    PyObject* const module = first_argument(frame);
    if (module == nullptr) return 0;
    bool is_new = false;
    const std::uint64_t key = names_.module(module, buffer, is_new);
    if (is_new && options_.parameters) tell_module_parameters(module, key, buffer);
    Py_DECREF(module);
    return key;
  }

  void tell_optimizer(PyFrameObject* frame, std::uint64_t key, ThreadBuffer& buffer) {
    PyObject* const optimizer = first_argument(frame);
    if (optimizer == nullptr) return;
    if (options_.parameters && told_optimizers_.insert(optimizer).second) {
      tell_optimizer_parameters(optimizer, key, buffer);
    }
    Py_DECREF(optimizer);
  }

  inline static std::uint32_t last_number = 0;

  InterpreterNames names_;
  TracerOptions options_;
  std::uint32_t number_;
  std::uint64_t begin_ticks_;
  std::unordered_set<PyObject*> told_optimizers_;
};

std::unique_ptr<Tracer>& tracer() {
  static auto& object = *new std::unique_ptr<Tracer>;
  return object;
}
std::atomic<std::uint32_t> current_number{0};  // 0: nothing is traced.
bool were_left = false;

int trace(PyObject*, PyFrameObject* frame, int what, PyObject* argument) noexcept {
  try {
    Tracer* const current = tracer().get();
    ThreadBuffer* const buffer = this_thread_buffer();
    if (current == nullptr || buffer == nullptr) return 0;
    ThreadState& thread = this_thread();
    if (thread.own_options && !thread.own_options->traces_python()) return 0;
    current->handle(frame, what, argument, thread, *buffer);
  } catch (...) {  // NOLINT(bugprone-empty-catch): memory ran out; the program goes on.
  }
  return 0;
}

}  // namespace

bool start_call_tracer(const TracerOptions& options, bool on_all_threads) {
  if (tracer() == nullptr) {
    tracer() = std::make_unique<Tracer>(options);
    current_number = tracer()->number();
    were_left = false;
  }
  return set_profile_function(&trace, on_all_threads);
}

void trace_new_thread() {
  if (tracer() == nullptr) return;
  this_thread().traced_from_ticks = record::now_ticks();
  // What is installed now is the function of `threading` that called this one.
  PyEval_SetProfile(&trace, nullptr);
}

void stop_call_tracer() {
  if (tracer() == nullptr) return;
  if (ThreadBuffer* const buffer = this_thread_buffer())
    tracer()->end_calls(this_thread(), *buffer);
  current_number = 0;
  remove_profile_function(&trace);
  tracer().reset();
}

void leave_python_calls() {
  if (tracer() == nullptr) return;
  stop_call_tracer();
  were_left = true;
}

bool python_calls_were_left() { return std::exchange(were_left, false); }

bool is_traced(const ThreadState& thread) {
  return thread.tracing != 0 && thread.tracing == current_number.load(std::memory_order_relaxed);
}

}  // namespace npuprof::torch_hooks
