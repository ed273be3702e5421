#pragma once

// Rows whose times lie far from all others: records with damaged stamps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/saturated.h"
#include "load/collection_clock.h"
#include "load/plausible.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/tasks.h"
#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::load {

// When the rows of a table can have happened.
struct TimeWindow {
  std::int64_t begin_ns = 0;  // Of the collection, which lasts hours at the most; 0 = not known.
  std::int64_t before_ns = kFarNs;
  // If not and most rows are outside, it is the clock that is wrong, and they stay.
  bool is_clock_sure = false;
};
// Graphs may have been loaded days before they are run.
inline constexpr std::int64_t kLoadedBeforeNs = 30 * kFarNs;

// Removes the rows from `first_row` on that begin or end outside of the window. Returns how many.
template <trace::Columnar Table>
std::uint64_t drop_impossible_times(Table& table, std::size_t first_row, const TimeWindow& window) {
  if (window.begin_ns == 0 || trace::row_count(table) <= first_row) return 0;
  const std::int64_t earliest_ns = saturated_difference(window.begin_ns, window.before_ns);
  const std::int64_t latest_ns = saturated_sum(window.begin_ns, kFarNs);
  enum : std::uint8_t { kGood, kFar, kNever };  // The last: whatever the clock.
  std::vector<std::uint8_t> verdict;            // By row, once one is not good.
  trace::for_each_time(table, [&](const auto& column) {
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

// A time in the middle of a profile; 0 if it has none.
inline std::int64_t middle_time(const trace::Trace& trace) {
  const std::vector<std::int64_t>* const candidates[] = {
      &trace.tasks().start_ns, &trace.api_calls().start_ns, &trace.framework_ops().start_ns,
      &trace.marks().start_ns};
  for (const auto* times : candidates) {
    if (!times->empty()) return middle_of(*times);
  }
  return 0;
}

inline constexpr std::string_view kImpossibleTimes =
    "record(s) have times far from all others and were left out.";

}  // namespace npuprof::load
