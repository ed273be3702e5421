// The module npuprof._torch: hooks into PyTorch. npuprof/_backend.py describes its interface and is
// its only user.

#include <algorithm>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "attributes.h"
#include "kernel_launcher.h"
#include "memory_reports.h"
#include "operators.h"
#include "python_tracer.h"
#include "record/ticks.h"
#include "simulated_cann.h"
#include "simulated_device.h"
#include "storages.h"
#include "streams.h"
#include "thread_state.h"

namespace py = pybind11;

namespace npuprof::torch_hooks {
namespace {

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
  const bool all_free = start_python_tracer({.path_prefixes = path_prefixes(),
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
  stop_python_tracer();
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
  want_attributes(false);
  stop_memory_reports();
  stop_tracing_python();
}

void start(const py::dict& config) {
  release();  // A forked child has what its parent began.
  const HookOptions options = read_options(config);
  OperatorListener listener;
  // A program that does not use the simulated device: what would happen if it did?
  const SimulatedCann* const cann = has_activity(config, "NPU") ? simulated_cann_in_use() : nullptr;
  if (cann != nullptr && !simulated_device_is_registered()) {
    listener = listener_that_launches(*cann);
  }
  want_attributes(cann != nullptr && (is_on(config, "op_attr") || is_on(config, "record_op_args")));
  if (!options.operators && listener.enter == nullptr) return;
  if (options.traces_python()) trace_python(options, true);
  if (options.operators) watch_profilers_of_torch();
  if (options.operators && options.memory) start_memory_reports();
  start_operators(options, listener);
}

// What was launched on the simulated device ends before the recording does.
void wait_for_simulated_device() {
  const SimulatedCann* const cann = simulated_cann_in_use();
  if (cann == nullptr) return;
  const py::gil_scoped_release other_threads_run;
  synchronize(*cann, default_device(*cann));
}

// What was launched before the recording begins is not part of it.
void prepare() {
  if (simulated_device_is_registered()) wait_for_simulated_device();
}

// Makes the simulated NPU a device of PyTorch; returns how many there are.
std::uint32_t open_simulated_device(const std::string& library) {
  std::string failure;
  const SimulatedCann* const cann = open_simulated_cann(library, failure);
  if (cann == nullptr) throw std::runtime_error("the simulated NPU cannot be used: " + failure);
  register_simulated_device(*cann);
  return cann->device_count;
}

void synchronize_simulated_device() {
  const SimulatedCann* const cann = simulated_cann_in_use();
  if (cann == nullptr) return;
  const py::gil_scoped_release other_threads_run;
  synchronize(*cann, current_device_index());
}

// For npuprof.sim, whose device is open.
const SimulatedCann& cann_of_device() {
  const SimulatedCann* const cann = simulated_cann_in_use();
  if (cann == nullptr) throw std::runtime_error("the simulated NPU cannot be used here");
  return *cann;
}

std::uintptr_t handle_of(aclrtStream stream) {
  if (stream == nullptr) throw std::runtime_error("the simulated NPU has no more streams");
  return reinterpret_cast<std::uintptr_t>(stream);
}

aclrtStream stream_of_handle(std::uintptr_t handle) {
  return reinterpret_cast<aclrtStream>(handle);  // NOLINT(performance-no-int-to-ptr)
}

void define_streams(py::module_& module) {
  module.def("current_device", [] { return static_cast<int>(current_device_index()); });
  module.def("set_device",
             [](int device) { set_current_device_index(static_cast<std::int8_t>(device)); });
  module.def("make_stream",
             [](std::int32_t device) { return handle_of(make_stream(cann_of_device(), device)); });
  module.def("current_stream", [](std::int32_t device) {
    return handle_of(current_stream(cann_of_device(), device));
  });
  module.def("default_stream", [](std::int32_t device) {
    return handle_of(default_stream(cann_of_device(), device));
  });
  module.def("use_stream", [](std::int32_t device, std::uintptr_t handle) {
    use_stream(device, stream_of_handle(handle));
  });
  module.def("synchronize_stream", [](std::int32_t device, std::uintptr_t handle) {
    const SimulatedCann& cann = cann_of_device();
    const py::gil_scoped_release other_threads_run;
    synchronize_stream(cann, device, stream_of_handle(handle));
  });
}

void stop() {
  stop_operators();
  wait_for_simulated_device();
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
  // For npuprof.sim.
  module.def("open_simulated_device", &open_simulated_device);
  module.def("synchronize_simulated_device", &synchronize_simulated_device);
  define_streams(module);
  define_storages(module);
}
