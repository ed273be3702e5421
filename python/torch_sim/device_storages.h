#pragma once

// Storages of the simulated device as objects of Python. Versions of PyTorch before 2 do not take
// them as arguments, so what saving and loading does with them is done here.

#include <pybind11/pybind11.h>

namespace npuprof::torch_sim {

// Defines storage_to_host(storage), storage_to_device(storage, index) and set_storage(tensor,
// storage, offset, sizes, strides) for versions that need them.
void define_storages(pybind11::module_& module);

}  // namespace npuprof::torch_sim
