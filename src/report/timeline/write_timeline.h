#pragma once

#include <vector>

#include "analyze/shared_results.h"
#include "base/result.h"
#include "report/timeline/context.h"

namespace npuprof::report {

// Writes all layers of a profile to `sink`, which uses the context for as long as it is open.
template <typename Sink>
void write_layers(const TimelineContext& context, const std::vector<analyze::Samples>& samples,
                  Sink& sink);

// The same with a context of its own, and closes the sink.
template <typename Sink>
Status write_timeline(const analyze::SharedResults& results, const TimelineOptions& options,
                      Sink& sink);

// The same with iterations of graphs only, and with the marks of the user only.
template <typename Sink>
Status write_step_trace_timeline(const trace::Trace& trace, Sink& sink);
template <typename Sink>
Status write_mark_timeline(const trace::Trace& trace, Sink& sink);

}  // namespace npuprof::report
