#pragma once

#include <cstdint>
#include <vector>

#include "load/chrome_trace/timeline_rows.h"
#include "load/id_rows.h"
#include "trace/trace.h"

namespace npuprof::load {

// Calls by the points where arrows to tasks begin. Timelines that leave out the call which launched
// a task still have its arrow: it begins inside the call around that one.
class LaunchPointCalls {
 public:
  // Calls are in the order that ApiCalls promises.
  LaunchPointCalls(const LaunchPoints& points, const trace::ApiCalls& calls);

  // The innermost call around the point of a connection, a row of ApiCalls; kNone if there is none.
  std::uint32_t find(std::int64_t connection) const {
    const std::uint32_t point = points_.find(connection);
    return point == trace::kNone ? trace::kNone : call_[point];
  }

 private:
  IdRows points_;
  std::vector<std::uint32_t> call_;  // Of each point.
};

}  // namespace npuprof::load
