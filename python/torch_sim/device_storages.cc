#include "device_storages.h"

#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2

#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <pybind11/stl.h>
#include <torch/csrc/Export.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/autograd/python_variable.h>

namespace py = pybind11;

namespace npuprof::torch_sim {
namespace {

at::Storage unpacked(const py::object& storage) {
  auto* const object = reinterpret_cast<THPStorage*>(storage.ptr());
  return at::Storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(object->cdata));
}

// The bytes of a storage as a tensor.
at::Tensor bytes_of(const at::Storage& storage) {
  at::Tensor tensor = at::empty({0}, at::TensorOptions().dtype(at::kByte).device(storage.device()));
  return tensor.set_(storage);
}

py::object copied_to(const py::object& storage, c10::Device device) {
  const at::Tensor copy = bytes_of(unpacked(storage)).to(device, at::kByte, false, true);
  return py::reinterpret_steal<py::object>(THPStorage_New(
      c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(copy.storage().unsafeGetStorageImpl())));
}

}  // namespace

void define_storages(py::module_& module) {
  module.def("storage_to_host",
             [](const py::object& storage) { return copied_to(storage, at::kCPU); });
  module.def("storage_to_device", [](const py::object& storage, std::int8_t index) {
    return copied_to(storage, {c10::DeviceType::PrivateUse1, index});
  });
  module.def("set_storage",
             [](const py::object& tensor, const py::object& storage, std::int64_t offset,
                const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
               THPVariable_Unpack(tensor.ptr()).set_(unpacked(storage), offset, sizes, strides);
               return tensor;
             });
}

}  // namespace npuprof::torch_sim

#else

namespace npuprof::torch_sim {

void define_storages(pybind11::module_&) {}

}  // namespace npuprof::torch_sim

#endif
