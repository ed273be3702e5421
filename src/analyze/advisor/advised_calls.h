#pragma once

// Calls of the host by name, for checks that ask how often and how long.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/advisor/finding.h"
#include "base/interval_sweep.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct CallSums {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t longest_ns = 0;
};

CallSums sums_of_calls(const trace::Trace& trace, std::string_view name);

// Evidence with a row for each name that was called.
Evidence call_evidence(const trace::Trace& trace, std::span<const std::string_view> names);

// When a device had nothing to do, over all devices, merged.
std::vector<Interval> free_intervals(const trace::Trace& trace);

// How much of some times the device had nothing to do.
std::int64_t free_during(const trace::Trace& trace, std::vector<Interval> times);

bool overlaps_any(const std::vector<Interval>& merged, const Interval& interval);

}  // namespace npuprof::analyze
