#include "load/impossible_times.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/saturated.h"
#include "load/plausible.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {

std::uint64_t drop_impossible_times(trace::AnyTable table, std::size_t first_row,
                                    const TimeWindow& window) {
  if (window.begin_ns == 0 || table.size() <= first_row) return 0;
  const std::int64_t earliest_ns = saturated_difference(window.begin_ns, window.before_ns);
  const std::int64_t latest_ns = saturated_sum(window.begin_ns, kFarNs);
  enum : std::uint8_t { kGood, kFar, kNever };  // The last: whatever the clock.
  std::vector<std::uint8_t> verdict;            // By row, once one is not good.
  trace::for_each_time(table, [&](const std::vector<std::int64_t>& column) {
    for (std::size_t row = first_row; row < column.size(); ++row) {
      const std::int64_t time_ns = column[row];
      // 0 stands for a time that is not known.
      if (time_ns == 0 || (time_ns >= earliest_ns && time_ns <= latest_ns)) continue;
      verdict.resize(column.size());
      verdict[row] = std::max<std::uint8_t>(verdict[row], plausible(time_ns) ? kFar : kNever);
    }
  });
  if (verdict.empty()) return 0;
  const auto good = static_cast<std::size_t>(
      std::count(verdict.begin() + static_cast<std::ptrdiff_t>(first_row), verdict.end(), kGood));
  const std::size_t rows = verdict.size() - first_row;
  const bool is_clock_wrong = !window.is_clock_sure && rows - good > rows / 2;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t row = 0; row < verdict.size(); ++row) {
    if (verdict[row] == kGood || (verdict[row] == kFar && is_clock_wrong)) kept.push_back(row);
  }
  const std::size_t dropped = verdict.size() - kept.size();
  if (dropped > 0) trace::reorder_rows(table, kept);
  return dropped;
}

std::int64_t middle_time(const trace::Trace& trace) {
  const std::vector<std::int64_t>* const candidates[] = {
      &trace.tasks().start_ns, &trace.api_calls().start_ns, &trace.framework_ops().start_ns,
      &trace.marks().start_ns};
  for (const auto* times : candidates) {
    if (!times->empty()) return middle_of(*times);
  }
  return 0;
}

void report_impossible_times(std::uint64_t dropped, std::string source, trace::Losses& losses) {
  if (dropped == 0) return;
  losses.add(
      std::move(source), 0, dropped,
      fmt::format("{} record(s) have times far from all others and were left out.", dropped));
}

void drop_far_rows(trace::AnyTable table, const TimeWindow& window,
                   const std::filesystem::path& file, trace::Losses& losses) {
  report_impossible_times(drop_impossible_times(table, 0, window), file.native(), losses);
}

}  // namespace npuprof::load
