#pragma once

// Idle causes as a layer of the timeline, which files do not have: a lane for each device, in which
// each slice is a part of a gap and has the name of its cause.

#include <string_view>
#include <vector>

#include "analyze/idle_causes.h"
#include "report/lanes/lane_timeline.h"
#include "trace/trace.h"

namespace npuprof::serve {

inline constexpr std::string_view kIdleLayerName = "Idle Causes";

// The rows must live as long as the timeline.
void write_idle_layer(const trace::Trace& trace, const std::vector<analyze::IdleRow>& rows,
                      report::LaneTimeline& timeline);

}  // namespace npuprof::serve
