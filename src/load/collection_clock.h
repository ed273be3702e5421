#pragma once

// What the control files of a collection say about its clocks, where that can be true at all.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/median.h"
#include "base/saturated.h"
#include "format/host/control.h"
#include "load/plausible.h"

namespace npuprof::load {

// Before it, in 1973, are times that count from the start of a machine or of a program.
inline constexpr std::int64_t kFirstWallTimeNs = 100'000'000'000'000'000;

// A time of start_info or end_info in ns since 1970. 0 stands for one that was never set.
inline std::optional<std::int64_t> wall_ns(std::optional<std::int64_t> us) {
  if (!us) return std::nullopt;
  const auto time_ns = plausible(saturated_product(*us, 1000));
  constexpr std::int64_t kSecond = 1'000'000'000;  // Less is no time but some other number.
  return time_ns && *time_ns >= kSecond ? time_ns : std::nullopt;
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
  return log.counter.value_or(0) > 0 && log.monotonic_raw_ns &&
         *log.monotonic_raw_ns < static_cast<std::uint64_t>(kMaxPlausible);
}

// No profile lasts as long. Times that are farther apart were read with a wrong clock.
inline constexpr std::int64_t kFarNs = std::int64_t{24} * 3600 * 1'000'000'000;

// Both ends belong to it. `middle_ns` is plausible.
struct NearTimes {
  std::int64_t from_ns;
  std::int64_t to_ns;
};
inline NearTimes near_to(std::int64_t middle_ns) {
  return {middle_ns - kFarNs + 1, middle_ns + kFarNs - 1};
}

inline bool is_near(std::int64_t a_ns, std::int64_t b_ns) {
  const std::int64_t difference = saturated_difference(a_ns, b_ns);
  return difference > -kFarNs && difference < kFarNs;
}

// Of the times of a table that has rows. One damaged stamp says nothing, so parts of a profile are
// compared by the middle of their records.
inline std::int64_t middle_of(std::span<const std::int64_t> times) {
  return times[times.size() / 2];
}

}  // namespace npuprof::load
