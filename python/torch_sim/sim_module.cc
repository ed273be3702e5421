// The module npuprof._sim: the simulated NPU as a device of PyTorch. npuprof/sim.py is its user,
// and npuprof/_backend.py loads it where the simulated libraries are in use.

#include <cstdint>
#include <stdexcept>
#include <string>

#include <pybind11/pybind11.h>

#include "device_storages.h"
#include "kernel_launcher.h"
#include "launch_streams.h"
#include "operator_attributes.h"
#include "record/ticks.h"
#include "recording.h"
#include "simulated_cann.h"
#include "simulated_device.h"

namespace py = pybind11;

namespace npuprof::torch_sim {

const torch_hooks::DeviceLink* recording = nullptr;

namespace {

void wait_for_device() {
  const SimulatedCann* const cann = simulated_cann_in_use();
  if (cann == nullptr) return;
  const py::gil_scoped_release other_threads_run;
  synchronize(*cann, default_device(*cann));
}

// What was launched before the recording begins is not part of it.
void prepare_for_recording() {
  if (simulated_device_is_registered()) wait_for_device();
}

torch_hooks::OperatorListener start_with_recording(bool records_device, bool with_attributes) {
  const SimulatedCann* const cann = records_device ? simulated_cann_in_use() : nullptr;
  want_attributes(cann != nullptr && with_attributes);
  if (cann == nullptr || simulated_device_is_registered()) return {};
  // A program that does not use the simulated device: what would happen if it did?
  return listener_that_launches(*cann);
}

// What was launched ends before the recording does.
void finish_with_recording() {
  wait_for_device();
  want_attributes(false);
}

// The hooks must be there: both are for one version of PyTorch, and use it together.
void join_hooks() {
  const py::object hooks = py::module_::import("npuprof._torch");
  recording = hooks.attr(torch_hooks::kDeviceLinkAttribute)
                  .cast<py::capsule>()
                  .get_pointer<const torch_hooks::DeviceLink>();
  recording->register_device({.prepare = &prepare_for_recording,
                              .start = &start_with_recording,
                              .finish = &finish_with_recording});
}

// Makes the simulated NPU a device of PyTorch; returns how many there are.
std::uint32_t open_device(const std::string& library) {
  std::string failure;
  const SimulatedCann* const cann = open_simulated_cann(library, failure);
  if (cann == nullptr) throw std::runtime_error("the simulated NPU cannot be used: " + failure);
  register_simulated_device(*cann);
  return cann->device_count;
}

void synchronize_device() {
  const SimulatedCann* const cann = simulated_cann_in_use();
  if (cann == nullptr) return;
  const py::gil_scoped_release other_threads_run;
  synchronize(*cann, current_device_index());
}

// Of the device, which is open.
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

}  // namespace
}  // namespace npuprof::torch_sim

PYBIND11_MODULE(_sim, module) {
  using namespace npuprof::torch_sim;  // NOLINT(*-using-namespace): this is their Python face.
  npuprof::record::choose_clock();
  join_hooks();
  module.def("open_device", &open_device);
  module.def("synchronize_device", &synchronize_device);
  define_streams(module);
  define_storages(module);
}
