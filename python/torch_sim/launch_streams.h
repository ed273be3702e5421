#pragma once

// Streams of the simulated device. Programs launch on one of their own for each device, as
// torch_npu does, or on others that they make.

#include <cstdint>

#include "simulated_cann.h"

namespace npuprof::torch_sim {

// That of the device, if no other is chosen. Makes the calling thread use `device`.
aclrtStream default_stream(const SimulatedCann& cann, std::int32_t device);
// A new one; null if the device has no more. Makes the calling thread use `device`.
aclrtStream make_stream(const SimulatedCann& cann, std::int32_t device);

// The one that the calling thread launches on.
aclrtStream current_stream(const SimulatedCann& cann, std::int32_t device);
// Chooses it.
void use_stream(std::int32_t device, aclrtStream stream);

}  // namespace npuprof::torch_sim
