#pragma once

// How the durations of slices of one name are spread.

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/duration_summary.h"
#include "serve/lane_index.h"

namespace npuprof::serve {

struct HistogramBin {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;  // Excluded, but for the last bin.
  std::uint64_t count = 0;
};

struct DurationHistogram {
  analyze::DurationSummary summary;
  std::vector<HistogramBin> bins;  // Each an eighth wider than the one before, or 1 ns.
  std::vector<SliceId> longest;    // Those far from what is usual first.
};

// Of slices of any of these names, in one lane or in all.
DurationHistogram duration_histogram(const LaneIndex& index,
                                     const std::vector<std::uint32_t>& names,
                                     std::optional<std::uint32_t> lane);

}  // namespace npuprof::serve
