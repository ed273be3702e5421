#include "sim/torch/python_side.h"

#include <algorithm>
#include <utility>

#include "format/framework/python_tracer.h"
#include "sim/model/random.h"

namespace npuprof::sim {
namespace {

using format::framework::PythonTag;

// At most this many frames of a thread, the innermost, are known from before the start.
constexpr std::size_t kMostOpenFrames = 129;
// Between the stamps of frames that were open at the start.
constexpr std::int64_t kOpenFrameNs = 20;

constexpr std::string_view kModuleFile = "torch/nn/modules/module.py";
constexpr std::int64_t kCallImplLine = 1520;
constexpr std::string_view kTracingState =
    "<built-in method _get_tracing_state of PyCapsule object at 0xfffdb9ec7270>";

std::uint64_t key_of(std::string_view value, std::uint64_t seed) {
  std::uint64_t key = derive_seed(seed, value.size());
  for (const char c : value) key = mix_bits(key ^ static_cast<unsigned char>(c));
  return key;
}

}  // namespace

PythonSide::PythonSide(FrameworkWriter& writer, const Options& options)
    : writer_(&writer),
      options_(options),
      exit_key_(key_of(format::framework::kPythonExitMarker, options.seed)),
      call_impl_(function(kModuleFile, kCallImplLine, "_call_impl")),
      tracing_state_(c_function(kTracingState)) {}

PythonSide::Function PythonSide::function(std::string_view file, std::int64_t line,
                                          std::string_view name) {
  std::string value;
  format::framework::append_python_frame(value, {file, line, name});
  return intern(std::move(value), Kind::kPython);
}

PythonSide::Function PythonSide::c_function(std::string_view repr) {
  return intern(std::string(repr), Kind::kC);
}

PythonSide::Module PythonSide::module(std::string_view class_name, std::uint64_t address,
                                      std::string_view forward_file, std::int64_t forward_line) {
  std::string value;
  format::framework::append_python_module(value, {class_name, address});
  const Function object = intern(std::move(value), Kind::kPython);
  return {object, function(forward_file, forward_line, "forward")};
}

void PythonSide::set_module_parameters(const Module& module, std::string text) {
  entry(module.object).parameters = std::move(text);
}

void PythonSide::set_optimizer_parameters(Function step, std::string text) {
  entry(step).parameters = std::move(text);
  entry(step).is_optimizer = true;
}

void PythonSide::open_at_start(std::uint64_t thread_id, std::span<const Function> frames) {
  if (frames.size() > kMostOpenFrames) frames = frames.last(kMostOpenFrames);
  Thread& state = thread(thread_id);
  state.open_at_start.assign(frames.begin(), frames.end());
  state.stack = state.open_at_start;
}

void PythonSide::call(Function function, HostPoint at) {
  if (writer_->running_at(at.time_ns)) note_call(function);
  thread(at.thread_id).stack.push_back(function);
  const auto tag = entry(function).kind == Kind::kC ? PythonTag::kCCall : PythonTag::kCall;
  writer_->python(tag, at.time_ns, at.thread_id, entry(function).key);
}

void PythonSide::leave(HostPoint at) {
  Thread& state = thread(at.thread_id);
  if (state.stack.empty()) return;
  const bool is_c = entry(state.stack.back()).kind == Kind::kC;
  state.stack.pop_back();
  state.has_returned = true;
  writer_->python(is_c ? PythonTag::kCReturn : PythonTag::kReturn, at.time_ns, at.thread_id,
                  exit_key_);
}

std::int64_t PythonSide::call(const Module& module, HostPoint at) {
  call(module.object, at);
  at.time_ns += options_.call_ns;
  call(call_impl_, at);
  at.time_ns += options_.call_ns;
  call(tracing_state_, at);
  at.time_ns += options_.call_ns;
  leave(at);
  at.time_ns += options_.call_ns;
  call(module.forward, at);
  return at.time_ns + options_.call_ns;
}

std::int64_t PythonSide::leave(const Module&, HostPoint at) {
  for (int frame = 0; frame < 3; ++frame) {
    leave(at);
    at.time_ns += options_.call_ns;
  }
  return at.time_ns;
}

std::size_t PythonSide::depth(std::uint64_t thread_id) const {
  const Thread* state = find_thread(thread_id);
  return state == nullptr ? 0 : state->stack.size();
}

void PythonSide::stop() {
  for (const Thread& state : threads_) {
    if (!state.has_returned) continue;
    std::int64_t time_ns = options_.start_ns;
    for (const Function frame : state.open_at_start) {
      note_call(frame);
      writer_->python(PythonTag::kCall, time_ns, state.id, entry(frame).key);
      time_ns += kOpenFrameNs;
    }
  }
  for (const Function function : called_) {
    writer_->python_hash(entry(function).key, entry(function).value);
  }
  writer_->python_hash(exit_key_, format::framework::kPythonExitMarker);
}

PythonSide::Function PythonSide::intern(std::string value, Kind kind) {
  const auto next = static_cast<Function>(entries_.size());
  const auto [found, is_new] = by_value_.emplace(value, next);
  if (is_new) {
    const std::uint64_t key = key_of(value, options_.seed);
    entries_.push_back({.key = key, .kind = kind, .value = std::move(value)});
  }
  return found->second;
}

PythonSide::Thread& PythonSide::thread(std::uint64_t id) {
  for (Thread& state : threads_) {
    if (state.id == id) return state;
  }
  threads_.push_back({.id = id});
  return threads_.back();
}

const PythonSide::Thread* PythonSide::find_thread(std::uint64_t id) const {
  for (const Thread& state : threads_) {
    if (state.id == id) return &state;
  }
  return nullptr;
}

void PythonSide::note_call(Function function) {
  Entry& called = entry(function);
  if (called.was_called) return;
  called.was_called = true;
  called_.push_back(function);
  if (called.parameters.empty()) return;
  if (called.is_optimizer) {
    writer_->optimizer_parameters(called.key, called.parameters);
  } else {
    writer_->module_parameters(called.key, called.parameters);
  }
  called.parameters.clear();
}

}  // namespace npuprof::sim
