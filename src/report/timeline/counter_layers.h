#pragma once

#include <vector>

#include "analyze/samples.h"
#include "report/timeline/context.h"

namespace npuprof::report {

// Counters: frequency, memory, bandwidth, links, host usage. A layer for each kind and device.
template <typename Sink>
void write_counter_layers(const TimelineContext& context,
                          const std::vector<analyze::Samples>& samples, Sink& sink);

// System and pthread calls of the host process.
template <typename Sink>
void write_os_call_layer(const TimelineContext& context, Sink& sink);

}  // namespace npuprof::report
