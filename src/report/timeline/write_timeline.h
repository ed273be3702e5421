#pragma once

#include "base/result.h"
#include "report/timeline/context.h"

namespace npuprof::report {

// Writes all layers of a profile to `sink` and closes it.
template <typename Sink>
Status write_timeline(const trace::Trace& trace, const TimelineOptions& options, Sink& sink);

// The same with iterations of graphs only, and with the marks of the user only.
template <typename Sink>
Status write_step_trace_timeline(const trace::Trace& trace, Sink& sink);
template <typename Sink>
Status write_mark_timeline(const trace::Trace& trace, Sink& sink);

}  // namespace npuprof::report
