#include "sim/model/element_type.h"

namespace npuprof::sim {
namespace {

struct DataTypeInfo {
  std::uint32_t bytes;
  std::uint32_t collective_type;
  std::string_view name;
};

constexpr std::uint32_t kCollectiveReserved = 255;

constexpr DataTypeInfo info_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return {4, 4, "fp32"};
    case ElementType::kFloat16:
      return {2, 3, "fp16"};
    case ElementType::kInt8:
      return {1, 0, "int8"};
    case ElementType::kInt32:
      return {4, 2, "int32"};
    case ElementType::kUint8:
      return {1, 7, "uint8"};
    case ElementType::kInt16:
      return {2, 1, "int16"};
    case ElementType::kInt64:
      return {8, 5, "int64"};
    case ElementType::kFloat64:
      return {8, 10, "fp64"};
    case ElementType::kBool:
      return {1, 7, "bool"};
    case ElementType::kBfloat16:
      return {2, 11, "bf16"};
    case ElementType::kFloat8E5m2:
      return {1, 16, "fp8_e5m2"};
    case ElementType::kFloat8E4m3:
      return {1, 15, "fp8_e4m3"};
  }
  return {1, kCollectiveReserved, "unknown"};
}

}  // namespace

std::uint32_t bytes_per_element(ElementType type) { return info_of(type).bytes; }
std::uint32_t collective_data_type(ElementType type) { return info_of(type).collective_type; }
std::string_view data_type_name(ElementType type) { return info_of(type).name; }

}  // namespace npuprof::sim
