#include "analyze/duration_summary.h"

#include <algorithm>
#include <cmath>

#include "base/saturated.h"

namespace npuprof::analyze {
namespace {

// Of sorted times, of which there is at least one.
std::int64_t quantile_of_sorted(std::span<const std::int64_t> sorted, std::size_t percent) {
  const std::size_t needed = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(needed, 1) - 1];
}

void summarize_sorted(std::span<const std::int64_t> sorted, DurationSummary& summary) {
  if (sorted.empty()) return;
  summary.count = sorted.size();
  summary.min_ns = sorted.front();
  summary.max_ns = sorted.back();
  summary.median_ns = quantile_of_sorted(sorted, 50);
  summary.p90_ns = quantile_of_sorted(sorted, 90);
  summary.p99_ns = quantile_of_sorted(sorted, 99);
  for (const std::int64_t duration_ns : sorted) add_saturated(summary.total_ns, duration_ns);
  const double mean_ns = summary.mean_ns();
  double squares = 0;
  for (const std::int64_t duration_ns : sorted) {
    const double off_ns = static_cast<double>(duration_ns) - mean_ns;
    squares += off_ns * off_ns;
  }
  summary.deviation_ns = std::sqrt(squares / static_cast<double>(sorted.size()));
}

}  // namespace

std::vector<DurationSummary> summarize_durations(std::span<const std::uint32_t> groups,
                                                 std::span<const std::int64_t> durations_ns,
                                                 std::size_t group_count) {
  std::vector<DurationSummary> summaries(group_count);
  std::vector<std::size_t> begins(group_count + 1);
  for (const std::uint32_t group : groups) {
    if (group != trace::kNone) ++begins[group + 1];
  }
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::int64_t> grouped(begins.back());
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] == trace::kNone) continue;
    grouped[next[groups[i]]++] = durations_ns[i];
    std::uint32_t& longest = summaries[groups[i]].longest;
    if (longest == trace::kNone || durations_ns[i] > durations_ns[longest]) {
      longest = static_cast<std::uint32_t>(i);
    }
  }
  for (std::size_t group = 0; group < group_count; ++group) {
    const std::span<std::int64_t> own =
        std::span(grouped).subspan(begins[group], begins[group + 1] - begins[group]);
    std::sort(own.begin(), own.end());
    summarize_sorted(own, summaries[group]);
  }
  return summaries;
}

}  // namespace npuprof::analyze
