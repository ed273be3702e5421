#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace npuprof::format::framework {

// Tensor element types, which the framework writes as the name of their C++ type.
enum class DataType : std::uint8_t {
  kFloat,
  kDouble,
  kHalf,
  kBFloat16,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kBool,
  kComplexFloat,
  kComplexDouble,
  kFloat8E5m2,
  kFloat8E4m3,
};

struct DataTypeTraits {
  std::string_view name;
  std::int64_t bytes;
};

inline constexpr std::array<DataTypeTraits, 14> kDataTypes{{{"float", 4},
                                                            {"double", 8},
                                                            {"c10::Half", 2},
                                                            {"c10::BFloat16", 2},
                                                            {"signed char", 1},
                                                            {"short int", 2},
                                                            {"int", 4},
                                                            {"long int", 8},
                                                            {"unsigned char", 1},
                                                            {"bool", 1},
                                                            {"c10::complex<float>", 8},
                                                            {"c10::complex<double>", 16},
                                                            {"c10::Float8_e5m2", 1},
                                                            {"c10::Float8_e4m3fn", 1}}};

inline constexpr const DataTypeTraits& traits_of(DataType type) {
  return kDataTypes[static_cast<std::size_t>(type)];
}

// Instead of an element type, an operator input that is no plain tensor has one of these names.
inline constexpr std::string_view kTensorListInput = "TensorList";
inline constexpr std::string_view kScalarInput = "Scalar";
inline constexpr std::string_view kScalarListInput = "ScalarList";  // Or any empty list.
inline constexpr std::string_view kNoInput = "None";  // Undefined tensor, or anything else.

enum class InputKind : std::uint8_t { kTensor, kTensorList, kScalar, kScalarList, kNone };

inline InputKind input_kind(std::string_view dtype) {
  if (dtype == kTensorListInput) return InputKind::kTensorList;
  if (dtype == kScalarInput) return InputKind::kScalar;
  if (dtype == kScalarListInput) return InputKind::kScalarList;
  if (dtype == kNoInput || dtype.empty()) return InputKind::kNone;
  return InputKind::kTensor;
}

// What kind of number a scalar input is.
enum class ScalarKind : std::uint8_t { kBool, kInt, kDouble, kComplex, kOthers };

inline constexpr std::array<std::string_view, 5> kScalarKindNames{"Bool", "Int", "Double",
                                                                  "Complex", "Others"};

inline constexpr std::string_view scalar_kind_name(ScalarKind kind) {
  return kScalarKindNames[static_cast<std::size_t>(kind)];
}

}  // namespace npuprof::format::framework
