#pragma once

#include <vector>

#include "sim/model/kernel.h"

namespace npuprof::sim::testing {

inline KernelDesc matmul(double m, double n, double k, ElementType type = ElementType::kBfloat16) {
  const double width = bytes_per_element(type);
  return {.name = "aclnnMm_MatMulV3Common_MatMulV3",
          .type = "MatMulV3",
          .kind = KernelCore::kAic,
          .block_count = 20,
          .type_of_math = type,
          .cube_flops = 2 * m * n * k,
          .bytes_read = width * (m * k + k * n),
          .bytes_written = width * m * n,
          .l2_share = 0.5,
          .efficiency = 0.8};
}

inline KernelDesc elementwise(double elements, ElementType type = ElementType::kBfloat16) {
  const double width = bytes_per_element(type);
  return {.name = "aclnnAdd_AddAiCore_Add",
          .type = "Add",
          .kind = KernelCore::kAiv,
          .block_count = 40,
          .type_of_math = type,
          .vector_operations = elements,
          .bytes_read = 2 * width * elements,
          .bytes_written = width * elements};
}

inline KernelDesc attention(KernelCore kind) {
  KernelDesc kernel = matmul(4096, 4096, 128);
  kernel.name = kernel.type = "FlashAttentionScore";
  kernel.kind = kind;
  kernel.block_count = kind == KernelCore::kMixAic ? 20 : 40;
  kernel.mix_ratio = kind == KernelCore::kMixAic ? 2 : 1;
  kernel.vector_operations = 4096.0 * 4096 * 5;
  return kernel;
}

inline std::vector<KernelDesc> all_core_kernels() {
  return {matmul(4096, 4096, 4096),
          matmul(32, 9216, 4096, ElementType::kFloat32),
          matmul(2048, 2048, 2048, ElementType::kInt8),
          elementwise(4096.0 * 4096),
          elementwise(100, ElementType::kFloat32),
          elementwise(1 << 20, ElementType::kInt32),
          attention(KernelCore::kMixAic),
          attention(KernelCore::kMixAiv)};
}

}  // namespace npuprof::sim::testing
