#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/saturated.h"

namespace npuprof::load {

// Host counter ticks to wall-clock nanoseconds. The counter is tied to the raw monotonic clock
// (host_start.log), and that to the wall clock (start_info).
class HostClock {
 public:
  HostClock() = default;
  // `ticks` gives raw monotonic nanoseconds.
  HostClock(const TickClock& ticks, std::int64_t monotonic_to_wall_ns)
      : ticks_(ticks), monotonic_to_wall_ns_(monotonic_to_wall_ns) {
    if (ticks.frequency_hz > 0 && kNanosecondsPerSecond % ticks.frequency_hz == 0) {
      ns_per_tick_ = static_cast<std::int64_t>(kNanosecondsPerSecond / ticks.frequency_hz);
    }
    anchor_wall_ns_ = monotonic_to_wall(ticks.ns_at_anchor);
  }

  std::int64_t to_wall_ns(std::uint64_t ticks) const {
    // Almost every counter ticks a whole number of nanoseconds apart.
    const auto since_anchor = static_cast<std::int64_t>(ticks - ticks_.ticks_at_anchor);
    std::int64_t ns = 0;
    if (ns_per_tick_ != 0 && (since_anchor >= 0) == (ticks >= ticks_.ticks_at_anchor) &&
        !__builtin_mul_overflow(since_anchor, ns_per_tick_, &ns) &&
        !__builtin_add_overflow(ns, anchor_wall_ns_, &ns)) {
      return ns;
    }
    return monotonic_to_wall(ticks_.to_ns(ticks));
  }

  std::int64_t monotonic_to_wall(std::int64_t monotonic_ns) const {
    return saturated_sum(monotonic_ns, monotonic_to_wall_ns_);
  }

  const TickClock& ticks() const { return ticks_; }
  // The same with wall time at its anchor.
  TickClock wall_ticks() const {
    TickClock clock = ticks_;
    clock.ns_at_anchor = anchor_wall_ns_;
    return clock;
  }
  std::int64_t monotonic_to_wall_ns() const { return monotonic_to_wall_ns_; }

 private:
  TickClock ticks_;
  std::int64_t monotonic_to_wall_ns_ = 0;
  std::int64_t ns_per_tick_ = 0;  // 0 = not a whole number.
  std::int64_t anchor_wall_ns_ = 0;
};

}  // namespace npuprof::load
