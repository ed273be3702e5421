#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "load/chrome_trace/lanes.h"
#include "load/chrome_trace/timeline_rows.h"
#include "trace/trace.h"

namespace npuprof::load {

// Where the collectives of a trace are in its timeline.
struct PlacedCollectives {
  // Rows of CollectiveOps by (process, thread, start).
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>, std::uint32_t> at_start;
  std::vector<std::int64_t> connection;  // Of each row.
};

// Joins operators with the tasks they led to, and forward with backward operators, by the arrows
// between their slices. All other tables are in their final order; `task_connections` are those of
// the rows of Tasks.
void join_arrows(const Arrows& arrows, const Lanes& lanes, const PlacedCollectives& collectives,
                 std::span<const std::int64_t> task_connections, trace::Trace& trace);

}  // namespace npuprof::load
