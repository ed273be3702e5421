#pragma once

// Where on the timeline the row is that proves a cause of idle time.

#include <cstdint>
#include <optional>

#include "analyze/idle_causes.h"
#include "serve/lane_index.h"
#include "trace/trace.h"

namespace npuprof::serve {

std::optional<SliceId> culprit_of(const trace::Trace& trace, const LaneIndex& index,
                                  const analyze::IdleRow& row);
// The slice of a task; nothing for kNone, and for tasks that are not shown.
std::optional<SliceId> task_slice(const trace::Trace& trace, const LaneIndex& index,
                                  std::uint32_t task);

}  // namespace npuprof::serve
