#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/torch/driver_memory.h"
#include "sim/torch/framework_writer.h"

namespace npuprof::sim {

// The Python side of a simulated program: a call stack for each thread, and the records a tracer of
// it leaves.
class PythonSide {
 public:
  // Something that can be called: a Python function, a C function or an nn.Module object.
  enum class Function : std::uint32_t {};

  // Calling a module passes through three frames: the module itself, module.py's _call_impl, and
  // the module's forward function.
  struct Module {
    Function object{};
    Function forward{};
  };

  struct Options {
    std::uint64_t seed = 1;      // Decides the keys.
    std::int64_t start_ns = 0;   // When tracing began.
    std::int64_t call_ns = 200;  // What entering or leaving one frame of a module takes.
  };

  // `writer` must outlive the tracer.
  PythonSide(FrameworkWriter& writer, const Options& options);

  // The same arguments give the same function.
  Function function(std::string_view file, std::int64_t line, std::string_view name);
  Function c_function(std::string_view repr);  // "<built-in function len>"
  Module module(std::string_view class_name, std::uint64_t address, std::string_view forward_file,
                std::int64_t forward_line);

  // Parameters are recorded with the first call of their module (or of the optimizer's step
  // function). The text is that of a field of format::framework::ParamTensorInfo.
  void set_module_parameters(const Module& module, std::string text);
  void set_optimizer_parameters(Function step, std::string text);

  // Frames that were open on a thread when tracing began, outermost first. Before any call().
  void open_at_start(std::uint64_t thread_id, std::span<const Function> frames);

  void call(Function function, HostPoint at);
  // The innermost frame returns; ignored if there is none.
  void leave(HostPoint at);

  // Returns when the body of forward begins, and when the caller goes on.
  std::int64_t call(const Module& module, HostPoint at);
  std::int64_t leave(const Module& module, HostPoint at);

  std::size_t depth(std::uint64_t thread_id) const;
  std::uint64_t key(Function function) const { return entry(function).key; }

  // Tracing stops: the frames of open_at_start() are appended and the keys get their names. Call it
  // once, at the end.
  void stop();

 private:
  enum class Kind : std::uint8_t { kPython, kC };
  struct Entry {
    std::uint64_t key = 0;
    Kind kind = Kind::kPython;
    bool was_called = false;
    bool is_optimizer = false;
    std::string value;
    std::string parameters;  // Until they are recorded.
  };
  struct Thread {
    std::uint64_t id = 0;
    std::vector<Function> open_at_start;
    std::vector<Function> stack;
    bool has_returned = false;
  };

  const Entry& entry(Function function) const {
    return entries_[static_cast<std::size_t>(function)];
  }
  Entry& entry(Function function) { return entries_[static_cast<std::size_t>(function)]; }
  Function intern(std::string value, Kind kind);
  Thread& thread(std::uint64_t id);
  const Thread* find_thread(std::uint64_t id) const;
  void note_call(Function function);

  FrameworkWriter* writer_;
  Options options_;
  std::uint64_t exit_key_;
  std::vector<Entry> entries_;
  std::vector<Function> called_;  // In order of first call.
  std::unordered_map<std::string, Function> by_value_;
  std::vector<Thread> threads_;  // Few: searched one by one.
  Function call_impl_;
  Function tracing_state_;
};

}  // namespace npuprof::sim
