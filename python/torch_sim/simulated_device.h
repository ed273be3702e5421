#pragma once

// The simulated NPU as a device of PyTorch, under the device type for private use: memory of the
// host, kernels of the host, and beside them what an NPU would do.

#include <cstdint>

#include "simulated_cann.h"

namespace npuprof::torch_sim {

// Makes the device known to PyTorch; does nothing the second time. Throws std::runtime_error if
// another library has the device type already.
void register_simulated_device(const SimulatedCann& cann);
bool simulated_device_is_registered();

// The device that the calling thread has chosen.
std::int8_t current_device_index();
void set_current_device_index(std::int8_t index);

}  // namespace npuprof::torch_sim
