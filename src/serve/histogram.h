#pragma once

// How the durations of slices of one name are spread.

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/duration_summary.h"
#include "serve/lane_index.h"
#include "serve/step_spans.h"

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

struct HistogramQuery {
  std::vector<std::uint32_t> names;
  std::optional<std::uint32_t> lane;  // Nothing = all lanes.
  StepSpans spans;                    // In which slices begin.
};

DurationHistogram duration_histogram(const LaneIndex& index, const HistogramQuery& query);

// Those that take from `from_ns` on and less than `to_ns`, longest first.
std::vector<SliceId> slices_of_duration(const LaneIndex& index, const HistogramQuery& query,
                                        std::int64_t from_ns, std::int64_t to_ns);

}  // namespace npuprof::serve
