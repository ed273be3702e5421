#include "answers/time_columns.h"

#include <cmath>

namespace npuprof::answers {

void declare_times(Table& table) {
  table.integer("count", "Count");
  table.duration("total", "Total");
  table.duration("mean", "Mean");
  table.duration("min", "Min");
  table.duration("median", "Median");
  table.duration("p90", "90 %");
  table.duration("p99", "99 %");
  table.duration("max", "Max");
  table.duration("deviation", "Deviation");
}

void add_times(Table& table, const analyze::DurationSummary& times) {
  table.row(times.count, times.total_ns, nearest_integer(times.mean_ns()), times.min_ns,
            times.median_ns, times.p90_ns, times.p99_ns, times.max_ns,
            nearest_integer(times.deviation_ns));
}

std::int64_t nearest_integer(double value) {
  constexpr double kEnd = 9.2e18;
  if (std::isnan(value)) return 0;
  if (value >= kEnd) return INT64_MAX;
  return value <= -kEnd ? -INT64_MAX : std::llround(value);
}

}  // namespace npuprof::answers
