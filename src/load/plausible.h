#pragma once

#include <cstdint>
#include <optional>

namespace npuprof::load {

// No time or size comes near this number: what does is damage. The sum or difference of two that
// are below does not overflow.
inline constexpr std::int64_t kMaxPlausible = std::int64_t{1} << 62;

inline std::optional<std::int64_t> plausible(std::optional<std::int64_t> value) {
  return value && *value > -kMaxPlausible && *value < kMaxPlausible ? value : std::nullopt;
}

}  // namespace npuprof::load
