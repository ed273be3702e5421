#pragma once

#include <cstdint>

#include "analyze/duration_summary.h"
#include "answers/table.h"

namespace npuprof::answers {

// Count, total, mean, min, median, 90 and 99 %, max and standard deviation of times, the same in
// every table that has them.
void declare_times(Table& table);
void add_times(Table& table, const analyze::DurationSummary& times);

// Of means and products; what is too large for its type is the largest.
std::int64_t nearest_integer(double value);

}  // namespace npuprof::answers
