#pragma once

// Arithmetic that stops at the ends of its type: numbers of damaged files can have any value.

#include <cstdint>

namespace npuprof {

inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

inline void add_saturated(std::int64_t& sum, std::int64_t value) {
  sum = saturated_sum(sum, value);
}
inline void add_saturated(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = UINT64_MAX;
}

inline std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

inline std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

}  // namespace npuprof
