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

// Whether an interval that a record gives can be shown: damaged ones may have any ends.
inline bool is_plausible(std::int64_t start_ns, std::int64_t end_ns) {
  return start_ns > -kMaxPlausible && start_ns <= end_ns && end_ns < kMaxPlausible;
}

}  // namespace npuprof::load
