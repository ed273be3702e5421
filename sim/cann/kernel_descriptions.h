#pragma once

// Kernels as programs describe them.

#include <span>
#include <string_view>

#include "include/npuprof/npusim.h"
#include "sim/cann/state.h"

namespace npuprof::sim::cann {

bool is_valid(const NpusimKernel& kernel);

// The description must be valid. Kernels with the same one share their records.
std::string key_of(const NpusimKernel& kernel);
KernelDesc description_of(const NpusimKernel& kernel);

// The device's kernel for a description; made when it is first asked for. Needs the mutex.
const KernelTemplate* known_kernel(DeviceState& device, const NpusimKernel& kernel);

// What an operator of MindSpore launches; made when it is first asked for. Needs the mutex. Tensors
// with more dimensions than fit into a description are taken to have none.
std::span<const NpusimKernel> kernels_of_primitive(DeviceState& device, std::string_view primitive,
                                                   std::span<const NpusimTensor> inputs);

}  // namespace npuprof::sim::cann
