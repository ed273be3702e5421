#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "load/chrome_trace/lanes.h"
#include "load/chrome_trace/timeline_rows.h"
#include "trace/trace.h"

namespace npuprof::load {

// Where the collectives of a trace are in its timeline: rows of CollectiveOps by (process, thread,
// start).
using PlacedCollectives =
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>, std::uint32_t>;

struct LostArrows {
  std::uint64_t halves = 0;    // That have one end only.
  std::uint64_t astray = 0;    // That lead from or to nothing that is there.
  std::uint64_t backward = 0;  // That lead backward in time.
};

// Joins operators with the tasks they led to, and forward with backward operators, by the arrows
// between their slices. An arrow to one task of a
// call, or to a collective, stands for all tasks of it; `connections` are the numbers of calls that
// tasks have. All other tables are in their final order.
LostArrows join_arrows(const Arrows& arrows, const Lanes& lanes,
                       const PlacedCollectives& collectives,
                       const std::vector<std::int64_t>& connections, trace::Trace& trace);

// Joins marks of the host with those of the device, which have the same name, by the arrows between
// them. `names` are those of DeviceMarks.
LostArrows join_marks(const Arrows& arrows, const Lanes& lanes, const std::vector<StringId>& names,
                      trace::Trace& trace);

}  // namespace npuprof::load
