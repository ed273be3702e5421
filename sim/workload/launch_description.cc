#include "sim/workload/launch_description.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace npuprof::sim {
namespace {

constexpr std::size_t kMostTensors = 64;
constexpr std::size_t kMostDimensions = std::extent_v<decltype(NpusimTensor::shape)>;

std::vector<NpusimTensor> described_tensors(const std::vector<TensorDesc>& tensors) {
  std::vector<NpusimTensor> result;
  for (const TensorDesc& tensor : tensors) {
    if (result.size() == kMostTensors) break;
    NpusimTensor& item = result.emplace_back();
    item.is_output = tensor.is_output ? 1 : 0;
    item.data_type = static_cast<std::int32_t>(tensor.type);
    item.format = static_cast<std::int32_t>(tensor.format);
    item.dimension_count =
        static_cast<std::uint32_t>(std::min(tensor.shape.size(), kMostDimensions));
    std::copy_n(tensor.shape.begin(), item.dimension_count, item.shape);
  }
  return result;
}

}  // namespace

NpusimKernel describe_kernel(const KernelDesc& kernel, const std::string& call,
                             std::vector<NpusimTensor>& tensors) {
  tensors = described_tensors(kernel.tensors);
  return {.call = call.c_str(),
          .name = kernel.name.c_str(),
          .type = kernel.type.c_str(),
          .attributes = kernel.attributes.c_str(),
          .core = static_cast<std::int32_t>(kernel.kind),
          .block_count = std::max(kernel.block_count, 1u),
          .mix_ratio = kernel.mix_ratio,
          .math_type = static_cast<std::int32_t>(kernel.type_of_math),
          .cube_flops = kernel.cube_flops,
          .vector_operations = kernel.vector_operations,
          .bytes_read = kernel.bytes_read,
          .bytes_written = kernel.bytes_written,
          .tensors = tensors.data(),
          .tensor_count = static_cast<std::uint32_t>(tensors.size())};
}

LaunchDescription::LaunchDescription(Operator op)
    : op_(std::move(op)), tensors_(op_.kernels.size()) {
  for (std::size_t i = 0; i < op_.kernels.size(); ++i) {
    kernels_.push_back(describe_kernel(op_.kernels[i], op_.call, tensors_[i]));
  }
}

}  // namespace npuprof::sim
