#pragma once

#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

#include "format/framework/data_type.h"
#include "record/op_inputs.h"

namespace npuprof::torch_hooks {

// The type that records have a name for.
std::optional<format::framework::DataType> data_type_of(c10::ScalarType type);

// Whether the tensor has sizes that can be read without running code of the program.
bool has_plain_sizes(const at::Tensor& tensor);

// NPUs are the "private use" device, whose number changed between versions of PyTorch.
format::framework::DeviceType device_type_of(c10::DeviceType type);

record::TensorDetail detail_of(const at::Tensor& tensor);

// Empty unless the layout is strided.
c10::IntArrayRef strides_of(const at::Tensor& tensor);

}  // namespace npuprof::torch_hooks
