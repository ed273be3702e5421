#pragma once

// The layer of a timeline that the framework recorded: operators, task queue, Python calls, garbage
// collections.

#include "report/timeline/context.h"

namespace npuprof::report {

template <typename Sink>
void write_framework_layer(const TimelineContext& context, Sink& sink);

}  // namespace npuprof::report
