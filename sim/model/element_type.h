#pragma once

#include <cstdint>
#include <string_view>

namespace npuprof::sim {

// Element types of tensors; the values are those of tensor records.
enum class ElementType : std::uint32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 6,
  kInt64 = 9,
  kFloat64 = 11,
  kBool = 12,
  kBfloat16 = 27,
  kFloat8E5m2 = 35,
  kFloat8E4m3 = 36,
};

// Storage layouts of tensors; the values are those of tensor records.
enum class TensorFormat : std::uint32_t {
  kNchw = 0,
  kNhwc = 1,
  kNd = 2,
  kNc1hwc0 = 3,
  kFractalZ = 4,
  kFractalNz = 29,
};

std::uint32_t bytes_per_element(ElementType type);

// The number collectives use for the same type (their enumeration is another one).
std::uint32_t collective_data_type(ElementType type);

// The name frameworks print, such as "bf16".
std::string_view data_type_name(ElementType type);

}  // namespace npuprof::sim
