#pragma once

// Whether a link that results carry can be true: nothing is launched after it has begun. Numbers of
// links come round again in long profiles, and files may be damaged.

#include <cstdint>
#include <vector>

#include "base/saturated.h"
#include "load/id_rows.h"

namespace npuprof::load {

// The device's clock is translated into that of the host, so a task may seem to begin before its
// launch: by up to 14 us in profiles of vendors.
inline constexpr std::int64_t kMostClockErrorNs = 1'000'000;

inline bool is_backward_in_time(std::int64_t asked_ns, std::int64_t begun_ns) {
  return saturated_difference(asked_ns, begun_ns) > kMostClockErrorNs;
}

// Of the rows with a number the last one that started before something began; the first one if none
// did; trace::kNone if no row has it.
inline std::uint32_t last_call_before(const IdRows& rows, const std::vector<std::int64_t>& starts,
                                      std::int64_t number, std::int64_t begun_ns) {
  std::uint32_t best = rows.find(number);
  if (best == trace::kNone) return best;
  for (std::uint32_t row = rows.next(best); row != trace::kNone; row = rows.next(row)) {
    const bool is_before = starts[row] <= begun_ns;
    if (is_before && (starts[best] > begun_ns || starts[row] >= starts[best])) best = row;
  }
  return best;
}

}  // namespace npuprof::load
