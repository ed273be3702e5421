// The module npuprof._torch: hooks into PyTorch. npuprof/_backend.py describes its interface and is
// its only user, beside a module that plays a device (device_link.h).

#include <algorithm>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "call_tracer.h"
#include "device_link.h"
#include "memory_reports.h"
#include "operators.h"
#include "record/ticks.h"
#include "thread_state.h"

namespace py = pybind11;

namespace npuprof::torch_hooks {
namespace {

PlayedDevice played_device;  // Used with the interpreter's lock only.

constexpr DeviceLink kDeviceLink{
    .register_device = [](const PlayedDevice& device) { played_device = device; },
    .is_forked_child = &is_forked_child,
    .operators_are_recorded = &operators_are_recorded,
    .memory_is_recorded = &memory_is_recorded,
    .device_work = []() -> std::uint32_t& { return this_thread().device_work; }};

bool is_on(const py::dict& config, const char* key) {
  return config.contains(key) && py::isinstance<py::bool_>(config[key]) && config[key].cast<bool>();
}

bool has_activity(const py::dict& config, const std::string& name) {
  if (!config.contains("activities")) return true;
  const auto activities = config["activities"].cast<std::vector<std::string>>();
  return std::find(activities.begin(), activities.end(), name) != activities.end();
}

HookOptions read_options(const py::dict& config) {
  return {.operators = has_activity(config, "CPU"),
          .shapes = is_on(config, "record_shapes"),
          .memory = is_on(config, "profile_memory"),
          .stacks = is_on(config, "with_stack"),
          .modules = is_on(config, "with_modules"),
          .flops = is_on(config, "with_flops")};
}

void warn(const char* text) { py::module_::import("npuprof._console").attr("warning")(text); }

// Nested paths come first in descending order.
std::vector<std::string> path_prefixes() {
  std::vector<std::string> prefixes;
  const py::object absolute = py::module_::import("os.path").attr("abspath");
  for (const py::handle entry : py::module_::import("sys").attr("path")) {
    if (!py::isinstance<py::str>(entry)) continue;
    std::string prefix = absolute(entry).cast<std::string>();
    if (prefix.back() != '/') prefix += '/';
    prefixes.push_back(std::move(prefix));
  }
  std::sort(prefixes.rbegin(), prefixes.rend());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  return prefixes;
}

// The code of a method; null if there is no such thing.
py::object code_of(const char* module, const char* owner, const char* method) {
  try {
    return py::module_::import(module).attr(owner).attr(method).attr("__code__");
  } catch (const py::error_already_set&) {
    return {};
  }
}

// Threads that the program starts from now on call this before anything else.
const py::object& thread_hook() {
  static auto& hook =
      *new py::object(py::cpp_function([](const py::args&) { trace_new_thread(); }));
  return hook;
}

void trace_python(const HookOptions& options, bool on_all_threads) {
  const py::object module_call = code_of("torch.nn", "Module", "__call__");
  const py::object optimizer_step = code_of("torch.optim", "Optimizer", "_optimizer_step_code");
  const py::object enter = code_of("torch.autograd.profiler", "record_function", "__enter__");
  const py::object exit = code_of("torch.autograd.profiler", "record_function", "__exit__");
  // That of every function of ours which must not raise: start, step, stop.
  const py::object own = code_of("npuprof.profiler", "profile", "step");
  const bool all_free = start_call_tracer({.path_prefixes = path_prefixes(),
                                           .module_call_code = module_call.ptr(),
                                           .optimizer_step_code = optimizer_step.ptr(),
                                           .hidden_codes = {enter.ptr(), exit.ptr(), own.ptr()},
                                           .parameters = options.details()},
                                          on_all_threads);
  if (!all_free) {
    warn(
        "Another profiler of Python calls is at work: with_stack and with_modules record nothing "
        "on its threads.");
  }
  if (!on_all_threads) return;
  const py::module_ threading = py::module_::import("threading");
  if (threading.attr("_profile_hook").is_none()) threading.attr("setprofile")(thread_hook());
}

void stop_tracing_python() {
  stop_call_tracer();
  const py::module_ threading = py::module_::import("threading");
  const py::object hook = threading.attr("_profile_hook");
  if (hook.is(thread_hook())) {
    threading.attr("setprofile")(py::none());
  }
}

// PyTorch's own profilers fail if they find ours where they want to be. Stays for good: threads may
// keep our objects after the recording.
void watch_profilers_of_torch() {
  py::module_::import("npuprof._torch_profilers")
      .attr("watch")(py::cpp_function(&leave_memory_slot), py::cpp_function(&leave_python_calls));
}

void release() {
  stop_operators();
  forget_options();
  stop_memory_reports();
  stop_tracing_python();
}

void start(const py::dict& config) {
  release();  // A forked child has what its parent began.
  const HookOptions options = read_options(config);
  OperatorListener listener;
  if (played_device.start != nullptr) {
    listener = played_device.start(has_activity(config, "NPU"),
                                   is_on(config, "op_attr") || is_on(config, "record_op_args"));
  }
  if (!options.operators && listener.enter == nullptr) return;
  if (options.traces_python()) trace_python(options, true);
  if (options.operators) watch_profilers_of_torch();
  if (options.operators && options.memory) start_memory_reports();
  start_operators(options, listener);
}

void prepare() {
  if (played_device.prepare != nullptr) played_device.prepare();
}

void stop() {
  stop_operators();
  if (played_device.finish != nullptr) played_device.finish();
  release();
  if (memory_slot_was_taken()) {
    warn(
        "profile_memory: a profiler of PyTorch took the reports of host memory while it ran; they "
        "are missing here.");
  }
  if (python_calls_were_left()) {
    warn(
        "with_stack, with_modules: a profiler of PyTorch took the calls of Python; those after its "
        "start are missing here.");
  }
}

void enable_thread(const py::dict& options) {
  const HookOptions own = read_options(options);
  set_thread_options(own);
  if (npuprof_recording() == 0) return;
  if (own.memory) start_memory_reports();
  if (own.traces_python()) trace_python(own, false);
}

void disable_thread() {
  clear_thread_options();
  leave_memory_slot();
}

}  // namespace
}  // namespace npuprof::torch_hooks

PYBIND11_MODULE(_torch, module) {
  using namespace npuprof::torch_hooks;  // NOLINT(*-using-namespace): this is their Python face.
  npuprof::record::choose_clock();
  (void)this_thread();  // So that forks are noticed from now on.
  module.def("prepare", &prepare);
  module.def("start", &start);
  module.def("stop", &stop);
  module.def("enable_thread", &enable_thread);
  module.def("disable_thread", &disable_thread);
  module.attr(kDeviceLinkAttribute) = py::capsule(&kDeviceLink, kDeviceLinkName);
}
