#include "analyze/api_summary.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/saturated.h"
#include "format/host/levels.h"
#include "trace/host/api_calls.h"

namespace npuprof::analyze {

std::vector<ApiSummary> api_summaries(const trace::Trace& trace) {
  const auto& calls = trace.api_calls();
  std::unordered_map<std::uint64_t, std::uint32_t> places;
  std::vector<ApiSummary> rows;
  std::vector<std::uint32_t> group_of(calls.size());
  std::vector<std::int64_t> durations_ns(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    // Calls of the communication layer are all of one type; the item tells them apart.
    const bool by_item = calls.level[i] == format::host::kLevelHccl;
    const StringId name = by_item ? calls.item_name[i] : calls.name[i];
    const auto [place, is_new] =
        places.try_emplace(std::uint64_t{calls.level[i]} << 32 | to_index(name),
                           static_cast<std::uint32_t>(rows.size()));
    if (is_new) rows.push_back({.level = calls.level[i], .name = name});
    group_of[i] = place->second;
    durations_ns[i] = saturated_difference(calls.end_ns[i], calls.start_ns[i]);
  }
  const std::vector<DurationSummary> times =
      summarize_durations(group_of, durations_ns, rows.size());
  std::map<std::uint16_t, double> level_totals_ns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].times = times[i];
    level_totals_ns[rows[i].level] += static_cast<double>(times[i].total_ns);
  }
  for (ApiSummary& row : rows) {
    const double total_ns = level_totals_ns[row.level];
    row.share = total_ns > 0 ? static_cast<double>(row.times.total_ns) / total_ns : 0;
  }
  std::sort(rows.begin(), rows.end(), [&](const ApiSummary& a, const ApiSummary& b) {
    if (a.level != b.level) return a.level > b.level;
    if (a.times.total_ns != b.times.total_ns) return a.times.total_ns > b.times.total_ns;
    return trace.strings.view(a.name) < trace.strings.view(b.name);
  });
  return rows;
}

}  // namespace npuprof::analyze
