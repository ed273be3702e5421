#pragma once

// Time in npuprof is nanoseconds in a signed 64-bit integer. Devices and hosts stamp events with
// free-running counters; a TickClock relates one such counter to a nanosecond time line.

#include <cstdint>

namespace npuprof {

inline constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

// A counter of `frequency_hz` ticks a second, which showed `ticks_at_anchor` at `ns_at_anchor`.
// Frequency 0 stands for a counter that already counts nanoseconds of the same time line: there the
// anchor plays no part and conversions change nothing.
//
// All results are exact integers, monotone in their argument, and stop at the ends of their type
// instead of wrapping (counters read from damaged files can have any value).
struct TickClock {
  std::uint64_t ticks_at_anchor = 0;
  std::int64_t ns_at_anchor = 0;
  std::uint64_t frequency_hz = 0;

  // The nanosecond that has begun at `ticks`, which may lie before the anchor.
  std::int64_t to_ns(std::uint64_t ticks) const;

  // The first tick at or after `ns`. Up to 1 GHz to_ticks(to_ns(t)) == t.
  std::uint64_t to_ticks(std::int64_t ns) const;

  // The whole nanoseconds that `ticks` last. For an interval prefer to_ns(end) - to_ns(begin),
  // which keeps its ends where other events see them.
  std::int64_t duration_ns(std::uint64_t ticks) const;
};

}  // namespace npuprof
