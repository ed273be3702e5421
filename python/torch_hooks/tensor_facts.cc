#include "tensor_facts.h"

namespace npuprof::torch_hooks {

using format::framework::DataType;
using format::framework::DeviceType;

std::optional<DataType> data_type_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return DataType::kFloat;
    case c10::ScalarType::Double:
      return DataType::kDouble;
    case c10::ScalarType::Half:
      return DataType::kHalf;
    case c10::ScalarType::BFloat16:
      return DataType::kBFloat16;
    case c10::ScalarType::Char:
      return DataType::kInt8;
    case c10::ScalarType::Short:
      return DataType::kInt16;
    case c10::ScalarType::Int:
      return DataType::kInt32;
    case c10::ScalarType::Long:
      return DataType::kInt64;
    case c10::ScalarType::Byte:
      return DataType::kUInt8;
    case c10::ScalarType::Bool:
      return DataType::kBool;
    case c10::ScalarType::ComplexFloat:
      return DataType::kComplexFloat;
    case c10::ScalarType::ComplexDouble:
      return DataType::kComplexDouble;
#if __has_include(<c10/util/Float8_e5m2.h>)
    case c10::ScalarType::Float8_e5m2:
      return DataType::kFloat8E5m2;
    case c10::ScalarType::Float8_e4m3fn:
      return DataType::kFloat8E4m3;
#endif
    default:
      return std::nullopt;
  }
}

bool has_plain_sizes(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.is_nested() &&
         !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

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
