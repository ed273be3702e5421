#pragma once

// Rows whose times lie far from all others: records with damaged stamps.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/saturated.h"
#include "load/collection_clock.h"
#include "trace/table.h"

namespace npuprof::load {

// A collection lasts hours at the most; graphs may have been loaded days before it.
inline constexpr std::int64_t kLongestNs = 30 * kFarNs;

// Removes the rows from `first_row` on that begin or end more than kLongestNs from `begin_ns`, when
// the collection began; 0 = not known. Returns how many. If the clock is not sure and most rows do,
// it is the clock that is wrong, and they stay.
template <trace::Columnar Table>
std::uint64_t drop_impossible_times(Table& table, std::size_t first_row, std::int64_t begin_ns,
                                    bool is_clock_sure) {
  if (begin_ns == 0 || trace::row_count(table) <= first_row) return 0;
  const std::int64_t earliest_ns = saturated_difference(begin_ns, kLongestNs);
  const std::int64_t latest_ns = saturated_sum(begin_ns, kLongestNs);
  std::vector<std::uint32_t> bad;
  Table::columns(table, [&](std::string_view name, const auto& column) {
    using Column = std::remove_cvref_t<decltype(column)>;
    if constexpr (std::is_same_v<Column, std::vector<std::int64_t>>) {
      // 0 stands for a time that is not known.
      if (name != "time_ns" && name != "start_ns" && name != "end_ns") return;
      for (std::size_t row = first_row; row < column.size(); ++row) {
        const std::int64_t time_ns = column[row];
        if ((time_ns < earliest_ns && time_ns != 0) || time_ns > latest_ns) {
          bad.push_back(static_cast<std::uint32_t>(row));
        }
      }
    }
  });
  if (bad.empty()) return 0;
  std::vector<std::uint8_t> is_bad(trace::row_count(table));
  for (const std::uint32_t row : bad) is_bad[row] = 1;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t row = 0; row < is_bad.size(); ++row) {
    if (is_bad[row] == 0) kept.push_back(row);
  }
  const std::size_t dropped = is_bad.size() - kept.size();
  if (!is_clock_sure && dropped > (is_bad.size() - first_row) / 2) return 0;
  trace::reorder_rows(table, kept);
  return dropped;
}

inline constexpr std::string_view kImpossibleTimes =
    "record(s) have times far from all others and were left out.";

}  // namespace npuprof::load
