#include "sim/cann/reduction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "include/npuprof/cann_abi.h"

namespace npuprof::sim::cann {
namespace {

// How an element is stored and what it is computed in.
template <typename Value>
struct Plain {
  using Stored = Value;
  using Computed = Value;
  static Value load(Value stored) { return stored; }
  static Value store(Value value) { return value; }
};
struct Half {
  using Stored = std::uint16_t;
  using Computed = float;
  static float load(std::uint16_t stored) { return half_to_float(stored); }
  static std::uint16_t store(float value) { return float_to_half(value); }
};
struct Bfloat {
  using Stored = std::uint16_t;
  using Computed = float;
  static float load(std::uint16_t stored) { return bfloat_to_float(stored); }
  static std::uint16_t store(float value) { return float_to_bfloat(value); }
};

// Integers wrap around, as they do on the device.
template <typename Value>
Value combine(Value a, Value b, int operation) {
  switch (operation) {
    case NPUPROF_HCCL_MAX:
      return std::max(a, b);
    case NPUPROF_HCCL_MIN:
      return std::min(a, b);
    default:
      break;
  }
  const bool adds = operation == NPUPROF_HCCL_SUM;
  if constexpr (std::is_floating_point_v<Value>) {
    return adds ? a + b : a * b;
  } else {
    const auto wide_a = static_cast<std::uint64_t>(a);
    const auto wide_b = static_cast<std::uint64_t>(b);
    return static_cast<Value>(adds ? wide_a + wide_b : wide_a * wide_b);
  }
}

template <typename Element>
void reduce_as(std::span<const void* const> inputs, std::uint64_t count, int operation,
               std::byte* out) {
  using Stored = typename Element::Stored;
  const auto load = [](const void* input, std::uint64_t i) {
    Stored stored;
    std::memcpy(&stored, static_cast<const std::byte*>(input) + i * sizeof(Stored), sizeof(Stored));
    return Element::load(stored);
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    auto value = load(inputs.front(), i);
    for (const void* const input : inputs.subspan(1)) {
      value = combine<typename Element::Computed>(value, load(input, i), operation);
    }
    const Stored stored = Element::store(value);
    std::memcpy(out + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

}  // namespace

std::size_t collective_element_bytes(int type) {
  switch (type) {
    case NPUPROF_HCCL_INT8:
    case NPUPROF_HCCL_UINT8:
      return 1;
    case NPUPROF_HCCL_INT16:
    case NPUPROF_HCCL_UINT16:
    case NPUPROF_HCCL_FP16:
    case NPUPROF_HCCL_BFP16:
      return 2;
    case NPUPROF_HCCL_INT32:
    case NPUPROF_HCCL_UINT32:
    case NPUPROF_HCCL_FP32:
      return 4;
    case NPUPROF_HCCL_INT64:
    case NPUPROF_HCCL_UINT64:
    case NPUPROF_HCCL_FP64:
      return 8;
    default:
      return 0;
  }
}

bool is_reduce_operation(int operation) {
  return operation >= NPUPROF_HCCL_SUM && operation <= NPUPROF_HCCL_MIN;
}

std::vector<std::byte> reduce(std::span<const void* const> inputs, std::uint64_t count, int type,
                              int operation) {
  std::vector<std::byte> result(count * collective_element_bytes(type));
  const auto run = [&](auto element) {
    reduce_as<decltype(element)>(inputs, count, operation, result.data());
  };
  switch (type) {
    case NPUPROF_HCCL_INT8:
      run(Plain<std::int8_t>{});
      break;
    case NPUPROF_HCCL_INT16:
      run(Plain<std::int16_t>{});
      break;
    case NPUPROF_HCCL_INT32:
      run(Plain<std::int32_t>{});
      break;
    case NPUPROF_HCCL_INT64:
      run(Plain<std::int64_t>{});
      break;
    case NPUPROF_HCCL_UINT8:
      run(Plain<std::uint8_t>{});
      break;
    case NPUPROF_HCCL_UINT16:
      run(Plain<std::uint16_t>{});
      break;
    case NPUPROF_HCCL_UINT32:
      run(Plain<std::uint32_t>{});
      break;
    case NPUPROF_HCCL_UINT64:
      run(Plain<std::uint64_t>{});
      break;
    case NPUPROF_HCCL_FP16:
      run(Half{});
      break;
    case NPUPROF_HCCL_BFP16:
      run(Bfloat{});
      break;
    case NPUPROF_HCCL_FP32:
      run(Plain<float>{});
      break;
    case NPUPROF_HCCL_FP64:
      run(Plain<double>{});
      break;
    default:
      break;
  }
  return result;
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00u);
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7C00u);
  if (magnitude < 0x1.0p-14f) {
    // Below the normal numbers steps are 2^-24; nearbyint rounds to even.
    const auto steps = static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1.0p24f));
    return static_cast<std::uint16_t>(sign | steps);
  }
  std::uint32_t rounded = bits & 0x7FFFFFFFu;
  rounded += 0xFFFu + (rounded >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float bfloat_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bfloat(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  bits += 0x7FFFu + (bits >> 16 & 1);
  return static_cast<std::uint16_t>(bits >> 16);
}

}  // namespace npuprof::sim::cann
