#pragma once

// Puts the kernels of operators on the simulated device.

#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include "python/torch_hooks/device_link.h"
#include "simulated_cann.h"

namespace npuprof::torch_sim {

// Tensors of an operator, inputs first.
using LaunchTensors = std::vector<NpusimTensor>;

// Puts what the operator would launch on an NPU on the launch queue of the device. `attributes`:
// of attributes_of().
void launch_kernels(const SimulatedCann& cann, std::int32_t device, std::string_view name,
                    const std::vector<c10::IValue>& inputs, const std::vector<c10::IValue>& outputs,
                    std::string attributes = {});

// `wait`: for this and all that was launched on the stream before, as reading from a device does;
// the calling thread uses `device` from now on. Otherwise it goes on the launch queue, and `to`
// must be `from`.
void copy_memory(const SimulatedCann& cann, std::int32_t device, void* to, const void* from,
                 std::size_t bytes, int kind, bool wait);

// Makes the calling thread use `device`.
void use_device(const SimulatedCann& cann, std::int32_t device);
// Waits for the launch queues and for the device.
void synchronize(const SimulatedCann& cann, std::int32_t device);
// Waits for the launch queue and for what was launched on the stream.
void synchronize_stream(const SimulatedCann& cann, std::int32_t device, aclrtStream stream);

// For programs that run on the host: operators of the table put their kernels on the launch queue
// of the device when they end, and those inside them launch none.
torch_hooks::OperatorListener listener_that_launches(const SimulatedCann& cann);

}  // namespace npuprof::torch_sim
