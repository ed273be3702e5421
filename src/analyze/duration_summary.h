#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/row.h"

namespace npuprof::analyze {

// Many times in a few numbers, in ns. A quantile is the smallest time that at least so many of all
// do not exceed: always one that was measured.
struct DurationSummary {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t max_ns = 0;
  double deviation_ns = 0;               // Of the population.
  std::uint32_t longest = trace::kNone;  // Position of the first time equal to max_ns.

  double mean_ns() const {
    return count == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(count);
  }
};

// One summary for each group, 0 to group_count - 1. groups[i] is the group of durations_ns[i],
// trace::kNone = none.
std::vector<DurationSummary> summarize_durations(std::span<const std::uint32_t> groups,
                                                 std::span<const std::int64_t> durations_ns,
                                                 std::size_t group_count);

}  // namespace npuprof::analyze
