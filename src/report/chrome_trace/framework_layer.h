#pragma once

// The layer of a timeline that the framework recorded: operators, task queue, Python calls, garbage
// collections, and the arrows between them and the device.

#include "report/chrome_trace/timeline.h"
#include "trace/trace.h"

namespace npuprof::report {

// Everything but the arrows to the device.
void write_framework_layer(const trace::Trace& trace, Timeline& timeline);

// Arrows from operators to the tasks they launched. The device layers must be in the timeline.
void write_operator_arrows(const trace::Trace& trace, Timeline& timeline);

}  // namespace npuprof::report
