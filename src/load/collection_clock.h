#pragma once

// What the control files of a collection say about its clocks, where that can be true at all.

#include <cstdint>
#include <optional>

#include "base/saturated.h"
#include "format/host/control.h"
#include "load/plausible.h"

namespace npuprof::load {

// A time of start_info or end_info in ns since 1970.
inline std::optional<std::int64_t> wall_ns(std::optional<std::int64_t> us) {
  return us ? plausible(saturated_product(*us, 1000)) : std::nullopt;
}

// What CLOCK_MONOTONIC_RAW lacks to the wall clock.
inline std::optional<std::int64_t> monotonic_to_wall_ns(const format::host::CollectionTime& time) {
  const auto begin_ns = wall_ns(time.begin_us);
  const auto monotonic_ns = plausible(time.monotonic_raw_ns);
  if (!begin_ns || !monotonic_ns) return std::nullopt;
  return plausible(*begin_ns - *monotonic_ns);
}

// Whether a log ties the counter to the monotonic clock.
inline bool has_anchor(const format::host::ClockLog& log) {
  return log.counter && log.monotonic_raw_ns &&
         *log.monotonic_raw_ns < static_cast<std::uint64_t>(kMaxPlausible);
}

}  // namespace npuprof::load
