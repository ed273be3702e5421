#pragma once

// The sinks that there are. A file of layers instantiates its functions for each of them.

#include "report/chrome_trace/json_timeline.h"
#include "report/lanes/lane_timeline.h"
#include "report/perfetto/perfetto_timeline.h"

// `instantiate(Sink)` for each.
#define NPUPROF_EACH_SINK(instantiate) \
  instantiate(JsonTimeline) instantiate(PerfettoTimeline) instantiate(LaneTimeline)
