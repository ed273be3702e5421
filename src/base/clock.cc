#include "base/clock.h"

#include <limits>

namespace npuprof {
namespace {

__extension__ using Wide = __int128;  // Products of two 64-bit numbers need more than 64 bits.

constexpr std::int64_t kMinimumNs = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaximumNs = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaximumTicks = std::numeric_limits<std::uint64_t>::max();

std::int64_t clamp_ns(Wide ns) {
  if (ns < kMinimumNs) return kMinimumNs;
  if (ns > kMaximumNs) return kMaximumNs;
  return static_cast<std::int64_t>(ns);
}

std::uint64_t clamp_ticks(Wide ticks) {
  if (ticks < 0) return 0;
  if (ticks > kMaximumTicks) return kMaximumTicks;
  return static_cast<std::uint64_t>(ticks);
}

struct Quotient {
  Wide floor;
  bool exact;
};

// amount * numerator / denominator. Splitting off the whole multiples of the denominator leaves a
// product that fits 64 bits for all real frequencies, and 64-bit divisions are several times faster
// than 128-bit ones.
Quotient scale(std::uint64_t amount, std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t whole = amount / denominator;
  const std::uint64_t rest = amount % denominator;
  const Wide base = Wide{whole} * numerator;
  std::uint64_t product = 0;
  if (!__builtin_mul_overflow(rest, numerator, &product)) {
    return {base + product / denominator, product % denominator == 0};
  }
  const Wide wide_product = Wide{rest} * numerator;
  return {base + wide_product / denominator, wide_product % denominator == 0};
}

}  // namespace

std::int64_t TickClock::duration_ns(std::uint64_t ticks) const {
  if (frequency_hz == 0) return clamp_ns(ticks);
  return clamp_ns(scale(ticks, kNanosecondsPerSecond, frequency_hz).floor);
}

std::int64_t TickClock::to_ns(std::uint64_t ticks) const {
  if (frequency_hz == 0) return clamp_ns(ticks);
  if (ticks >= ticks_at_anchor) {
    const auto after = scale(ticks - ticks_at_anchor, kNanosecondsPerSecond, frequency_hz);
    return clamp_ns(ns_at_anchor + after.floor);
  }
  // Before the anchor too the result is rounded towards the past, so that equal distances in ticks
  // stay equal in nanoseconds across it.
  const auto before = scale(ticks_at_anchor - ticks, kNanosecondsPerSecond, frequency_hz);
  return clamp_ns(ns_at_anchor - before.floor - (before.exact ? 0 : 1));
}

std::uint64_t TickClock::to_ticks(std::int64_t ns) const {
  if (frequency_hz == 0) return clamp_ticks(ns);
  const Wide distance = Wide{ns} - ns_at_anchor;
  if (distance >= 0) {
    const auto after =
        scale(static_cast<std::uint64_t>(distance), frequency_hz, kNanosecondsPerSecond);
    return clamp_ticks(ticks_at_anchor + after.floor + (after.exact ? 0 : 1));
  }
  const auto before =
      scale(static_cast<std::uint64_t>(-distance), frequency_hz, kNanosecondsPerSecond);
  return clamp_ticks(ticks_at_anchor - before.floor);
}

}  // namespace npuprof
