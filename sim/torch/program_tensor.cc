#include "sim/torch/program_tensor.h"

namespace npuprof::sim {

format::framework::DataType framework_type(ElementType type) {
  using Framework = format::framework::DataType;
  switch (type) {
    case ElementType::kFloat32:
      return Framework::kFloat;
    case ElementType::kFloat16:
      return Framework::kHalf;
    case ElementType::kInt8:
      return Framework::kInt8;
    case ElementType::kInt32:
      return Framework::kInt32;
    case ElementType::kUint8:
      return Framework::kUInt8;
    case ElementType::kInt16:
      return Framework::kInt16;
    case ElementType::kInt64:
      return Framework::kInt64;
    case ElementType::kFloat64:
      return Framework::kDouble;
    case ElementType::kBool:
      return Framework::kBool;
    case ElementType::kBfloat16:
      return Framework::kBFloat16;
    case ElementType::kFloat8E5m2:
      return Framework::kFloat8E5m2;
    case ElementType::kFloat8E4m3:
      return Framework::kFloat8E4m3;
  }
  return Framework::kFloat;
}

ProgramTensor::ProgramTensor(std::uint64_t impl_address, std::uint64_t storage,
                             format::framework::DataType type, std::span<const std::int64_t> sizes,
                             std::int8_t device_index)
    : impl_address_(impl_address),
      storage_(storage),
      type_(type),
      bytes_(format::framework::traits_of(type).bytes),
      device_index_(device_index) {
  format::framework::append_dimensions(sizes_, sizes);
  format::framework::append_contiguous_strides(strides_, sizes);
  for (const std::int64_t size : sizes) bytes_ *= size;
}

format::framework::TensorText ProgramTensor::text() const {
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
