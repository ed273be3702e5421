#include "tensor_facts.h"

namespace npuprof::torch_hooks {

using format::framework::DeviceType;

DeviceType device_type_of(c10::DeviceType type) {
  return type == c10::DeviceType::PrivateUse1 ? DeviceType::kNpu : static_cast<DeviceType>(type);
}

record::TensorDetail detail_of(const at::Tensor& tensor) {
  record::TensorDetail detail;
  detail.impl_address = reinterpret_cast<std::uintptr_t>(tensor.unsafeGetTensorImpl());
  if (tensor.has_storage()) {
    detail.storage_address = reinterpret_cast<std::uintptr_t>(tensor.storage().data());
  }
  detail.element_bytes = static_cast<std::uint32_t>(tensor.element_size());
  detail.device_type = static_cast<std::int8_t>(device_type_of(tensor.device().type()));
  detail.device_index = static_cast<std::int8_t>(tensor.device().index());
  return detail;
}

c10::IntArrayRef strides_of(const at::Tensor& tensor) {
  return tensor.layout() == c10::kStrided ? tensor.strides() : c10::IntArrayRef();
}

}  // namespace npuprof::torch_hooks
