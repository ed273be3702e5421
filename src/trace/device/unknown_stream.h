#pragma once

#include <cstdint>

namespace npuprof::trace {

// Stream of records that do not say it (chips 15, 16); link finds it by the task.
inline constexpr std::uint16_t kUnknownStream = 0xFFFF;

}  // namespace npuprof::trace
