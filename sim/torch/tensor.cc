#include "sim/torch/tensor.h"

namespace npuprof::sim {

format::framework::DataType framework_type(DataType type) {
  using Framework = format::framework::DataType;
  switch (type) {
    case DataType::kFloat32:
      return Framework::kFloat;
    case DataType::kFloat16:
      return Framework::kHalf;
    case DataType::kInt8:
      return Framework::kInt8;
    case DataType::kInt32:
      return Framework::kInt32;
    case DataType::kUint8:
      return Framework::kUInt8;
    case DataType::kInt16:
      return Framework::kInt16;
    case DataType::kInt64:
      return Framework::kInt64;
    case DataType::kFloat64:
      return Framework::kDouble;
    case DataType::kBool:
      return Framework::kBool;
    case DataType::kBfloat16:
      return Framework::kBFloat16;
    case DataType::kFloat8E5m2:
      return Framework::kFloat8E5m2;
    case DataType::kFloat8E4m3:
      return Framework::kFloat8E4m3;
  }
  return Framework::kFloat;
}

Tensor::Tensor(std::uint64_t impl_address, std::uint64_t storage, format::framework::DataType type,
               std::span<const std::int64_t> sizes, std::int8_t device_index)
    : impl_address_(impl_address),
      storage_(storage),
      type_(type),
      bytes_(format::framework::traits_of(type).bytes),
      device_index_(device_index) {
  format::framework::append_dimensions(sizes_, sizes);
  format::framework::append_contiguous_strides(strides_, sizes);
  for (const std::int64_t size : sizes) bytes_ *= size;
}

format::framework::TensorText Tensor::text() const {
  const auto& traits = format::framework::traits_of(type_);
  return {.impl_address = impl_address_,
          .storage = storage_,
          .dtype = traits.name,
          .element_bytes = traits.bytes,
          .sizes = sizes_,
          .strides = strides_,
          .device_type = format::framework::DeviceType::kNpu,
          .device_index = device_index_};
}

}  // namespace npuprof::sim
