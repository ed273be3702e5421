#pragma once

// Rows whose times lie far from all others: records with damaged stamps.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "load/collection_clock.h"
#include "trace/any_table.h"
#include "trace/losses.h"
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
std::uint64_t drop_impossible_times(trace::AnyTable table, std::size_t first_row,
                                    const TimeWindow& window);

// A time in the middle of a profile; 0 if it has none.
std::int64_t middle_time(const trace::Trace& trace);

// Notes that `dropped` rows of `source` were removed, if any were.
void report_impossible_times(std::uint64_t dropped, std::string source, trace::Losses& losses);

// Removes such rows from the table that a file was read into, and notes it.
void drop_far_rows(trace::AnyTable table, const TimeWindow& window,
                   const std::filesystem::path& file, trace::Losses& losses);

}  // namespace npuprof::load
