#pragma once

#include <array>
#include <cstdint>

namespace npuprof::sim {

// A well-mixed 64-bit value of `value` (the splitmix64 step). Also used to derive the seed of a
// part from the seed of the whole, so that parts do not depend on the order in which they are made.
constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ull;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}
constexpr std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t part) {
  return mix_bits(mix_bits(seed) ^ mix_bits(part ^ 0x5851F42D4C957F2Dull));
}

// xoshiro256**: the standard library's distributions differ between compilers, this does not.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = seed = mix_bits(seed);
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound); 0 if bound is 0. The bias of the plain product is below 2^-32 for the
  // bounds used here (at most 2^32).
  constexpr std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }
  // Uniform in [low, high], for a range below 2^32.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // Uniform in [0, 1).
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace npuprof::sim
