#include "analyze/advisor/advised_calls.h"

#include <algorithm>
#include <utility>

#include "base/saturated.h"
#include "trace/host/api_calls.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {

CallSums sums_of_calls(const trace::Trace& trace, std::string_view name) {
  CallSums sums;
  const auto id = trace.strings.find(name);
  if (!id) return sums;
  const auto& calls = trace.api_calls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.name[i] != *id) continue;
    const std::int64_t ns = saturated_difference(calls.end_ns[i], calls.start_ns[i]);
    ++sums.count;
    add_saturated(sums.total_ns, ns);
    sums.longest_ns = std::max(sums.longest_ns, ns);
  }
  return sums;
}

Evidence call_evidence(const trace::Trace& trace, std::span<const std::string_view> names) {
  Evidence evidence;
  evidence.columns = {{"call", "Call"},
                      {"count", "Count", EvidenceKind::kCount},
                      {"total", "Total", EvidenceKind::kTime},
                      {"longest", "Longest", EvidenceKind::kTime}};
  for (const std::string_view name : names) {
    const CallSums sums = sums_of_calls(trace, name);
    if (sums.count == 0) continue;
    evidence.rows.push_back({std::string(name), sums.count, sums.total_ns, sums.longest_ns});
  }
  return evidence;
}

std::vector<Interval> free_intervals(const trace::Trace& trace) {
  std::vector<Interval> times;
  const auto& intervals = trace.overlap_intervals();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals.kind[i] != static_cast<std::uint8_t>(trace::OverlapKind::kFree)) continue;
    times.push_back({intervals.start_ns[i], intervals.end_ns[i]});
  }
  return merge_intervals(std::move(times));
}

std::int64_t free_during(const trace::Trace& trace, std::vector<Interval> times) {
  return overlap_length(merge_intervals(std::move(times)), free_intervals(trace));
}

bool overlaps_any(const std::vector<Interval>& merged, const Interval& interval) {
  const auto found = std::partition_point(merged.begin(), merged.end(), [&](const Interval& other) {
    return other.end <= interval.begin;
  });
  return found != merged.end() && found->begin < interval.end;
}

}  // namespace npuprof::analyze
