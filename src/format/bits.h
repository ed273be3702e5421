#pragma once

#include <concepts>

namespace npuprof::format {

// The `width` bits of `value` from bit `first` up; bit 0 is the least significant.
template <std::unsigned_integral T>
constexpr T get_bits(T value, unsigned first, unsigned width) {
  return static_cast<T>((value >> first) & ((T{1} << width) - 1));
}

// `value` with those bits replaced by the low bits of `field`.
template <std::unsigned_integral T>
constexpr T with_bits(T value, unsigned first, unsigned width, T field) {
  const T mask = static_cast<T>(((T{1} << width) - 1) << first);
  return static_cast<T>((value & ~mask) | ((field << first) & mask));
}

}  // namespace npuprof::format
