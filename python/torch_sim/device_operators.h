#pragma once

// Comes before all headers of PyTorch that mention vectors of this type: clang needs it whole.
#include <ATen/core/ivalue.h>

#include "simulated_cann.h"

namespace npuprof::torch_sim {

// The type of the simulated device's tensors.
inline constexpr auto kType = c10::DeviceType::PrivateUse1;

// What PyTorch calls for tensors of the simulated device: any operator runs on the host, on the
// same memory, and launches its kernels on the device.
void register_device_operators(const SimulatedCann& cann);

}  // namespace npuprof::torch_sim
