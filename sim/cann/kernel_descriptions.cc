#include "sim/cann/kernel_descriptions.h"

#include <cmath>
#include <utility>

#include "sim/workload/mindspore_table.h"

namespace npuprof::sim::cann {
namespace {

constexpr std::uint32_t kMostTensors = 64;
constexpr std::uint32_t kMostDimensions = 8;
// Ten seconds of the fastest chip: more is a mistake of the program.
constexpr double kMostWork = 1e17;

bool is_amount(double value) { return std::isfinite(value) && value >= 0 && value <= kMostWork; }

template <typename Value>
void append(std::string& key, const Value& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_tensor(std::string& key, const NpusimTensor& tensor) {
  for (const std::int32_t value : {tensor.is_output, tensor.data_type, tensor.format}) {
    append(key, value);
  }
  append(key, tensor.dimension_count);
  for (std::uint32_t d = 0; d < tensor.dimension_count; ++d) append(key, tensor.shape[d]);
}

TensorDesc tensor_of(const NpusimTensor& tensor) {
  return {.is_output = tensor.is_output != 0,
          .type = static_cast<ElementType>(tensor.data_type),
          .format = static_cast<TensorFormat>(tensor.format),
          .shape = {tensor.shape, tensor.shape + tensor.dimension_count}};
}

}  // namespace

bool is_valid(const NpusimKernel& kernel) {
  if (kernel.call == nullptr || kernel.name == nullptr || kernel.type == nullptr) return false;
  if (*kernel.call == '\0' || *kernel.name == '\0' || *kernel.type == '\0') return false;
  if (kernel.core < NPUSIM_CORE_AIC || kernel.core > NPUSIM_CORE_DVPP) return false;
  if (kernel.block_count == 0 || kernel.tensor_count > kMostTensors) return false;
  if (kernel.tensor_count > 0 && kernel.tensors == nullptr) return false;
  for (std::uint32_t i = 0; i < kernel.tensor_count; ++i) {
    if (kernel.tensors[i].dimension_count > kMostDimensions) return false;
  }
  return is_amount(kernel.cube_flops) && is_amount(kernel.vector_operations) &&
         is_amount(kernel.bytes_read) && is_amount(kernel.bytes_written);
}

std::string key_of(const NpusimKernel& kernel) {
  std::string key = kernel.name;
  key += '\0';
  key += kernel.type;
  key += '\0';
  if (kernel.attributes != nullptr) key += kernel.attributes;
  key += '\0';
  append(key, kernel.core);
  append(key, kernel.block_count);
  append(key, kernel.mix_ratio);
  append(key, kernel.math_type);
  for (const double amount :
       {kernel.cube_flops, kernel.vector_operations, kernel.bytes_read, kernel.bytes_written}) {
    append(key, amount);
  }
  for (std::uint32_t i = 0; i < kernel.tensor_count; ++i) append_tensor(key, kernel.tensors[i]);
  return key;
}

KernelDesc description_of(const NpusimKernel& kernel) {
  KernelDesc desc;
  desc.name = kernel.name;
  desc.type = kernel.type;
  if (kernel.attributes != nullptr) desc.attributes = kernel.attributes;
  desc.kind = static_cast<KernelCore>(kernel.core);
  desc.block_count = kernel.block_count;
  desc.mix_ratio = kernel.mix_ratio;
  desc.type_of_math = static_cast<ElementType>(kernel.math_type);
  desc.cube_flops = kernel.cube_flops;
  desc.vector_operations = kernel.vector_operations;
  desc.bytes_read = kernel.bytes_read;
  desc.bytes_written = kernel.bytes_written;
  for (std::uint32_t i = 0; i < kernel.tensor_count; ++i) {
    desc.tensors.push_back(tensor_of(kernel.tensors[i]));
  }
  return desc;
}

const KernelTemplate* known_kernel(DeviceState& device, const NpusimKernel& kernel) {
  const KernelTemplate*& known = device.kernels[key_of(kernel)];
  if (known == nullptr) known = &device.npu.kernels().add(description_of(kernel));
  return known;
}

std::span<const NpusimKernel> kernels_of_primitive(DeviceState& device, std::string_view primitive,
                                                   std::span<const NpusimTensor> inputs) {
  std::string key(primitive);
  PrimitiveCall call{.name = primitive};
  for (NpusimTensor input : inputs) {
    if (input.dimension_count > kMostDimensions) input.dimension_count = 0;
    key += '\0';
    append_tensor(key, input);
    call.inputs.push_back(tensor_of(input));
  }
  auto known = device.primitives.find(key);
  if (known == device.primitives.end()) {
    Operator op = mindspore_operator(device.npu.chip(), call).value_or(Operator{});
    known = device.primitives.try_emplace(std::move(key), std::move(op)).first;
  }
  return known->second.kernels();
}

}  // namespace npuprof::sim::cann
