#pragma once

#include "base/result.h"
#include "report/timeline/context.h"

namespace npuprof::report {

// Writes all layers of a profile to `sink` and closes it.
template <typename Sink>
Status write_timeline(const trace::Trace& trace, const TimelineOptions& options, Sink& sink);

}  // namespace npuprof::report
