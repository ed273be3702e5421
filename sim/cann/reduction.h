#pragma once

// The arithmetic of collectives, on elements as the communication library numbers their types.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace npuprof::sim::cann {

// 0: not a type of the interface.
std::size_t collective_element_bytes(int type);
bool is_reduce_operation(int operation);

// Element by element over all inputs of `count` elements. Half precision is added up in single
// precision and rounded once. The result stands alone, so inputs may be written over with it.
std::vector<std::byte> reduce(std::span<const void* const> inputs, std::uint64_t count, int type,
                              int operation);

float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);  // Rounds to nearest even.
float bfloat_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat(float value);

}  // namespace npuprof::sim::cann
