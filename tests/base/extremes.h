#pragma once

#include <cstdint>
#include <limits>

namespace npuprof {

inline constexpr std::int64_t kMinimum = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kMaximum = std::numeric_limits<std::int64_t>::max();

}  // namespace npuprof
