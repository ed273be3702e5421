#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace npuprof::trace {

enum class PmuCore : std::uint8_t { kAic, kAiv, kMixAic, kMixAiv };
inline constexpr std::size_t kPmuCounters = 10;  // 8 on chip 5, 10 on chips 15 and 16.
using PmuCounters = std::array<std::uint64_t, kPmuCounters>;

}  // namespace npuprof::trace
