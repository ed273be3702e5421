#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Fills Launches, LaunchedOps and LaunchedCollectives from the tables of trace/host/, and sets the
// batches of TaskTracks and the models of FusionOps.
//
// A task belongs to the innermost call around its time on the same thread. What it is follows from
// the calls further out: under a node-level call a kernel is the operator which that call launched,
// under a collective-level call a task is part of the collective.
void link_host_calls(trace::Trace& trace);

}  // namespace npuprof::link
