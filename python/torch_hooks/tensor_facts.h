#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

#include "format/framework/data_type.h"
#include "record/op_inputs.h"

namespace npuprof::torch_hooks {

// The type that records have a name for.
inline std::optional<format::framework::DataType> data_type_of(c10::ScalarType type) {
  using format::framework::DataType;
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

// Whether the tensor has sizes that can be read without running code of the program.
inline bool has_plain_sizes(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.is_nested() &&
         !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

// NPUs are the "private use" device, whose number changed between versions of PyTorch.
format::framework::DeviceType device_type_of(c10::DeviceType type);

record::TensorDetail detail_of(const at::Tensor& tensor);

// Empty unless the layout is strided.
c10::IntArrayRef strides_of(const at::Tensor& tensor);

}  // namespace npuprof::torch_hooks
