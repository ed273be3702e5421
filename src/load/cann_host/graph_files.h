#pragma once

#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Reads what MindSpore of 2020 told a job about the operators of its graph: TaskTracks (a launch
// for all runs of a task) and CapturedOps. Needs the device's tasks: the framework has numbers of
// its own for streams.
void load_graph_files(const CannDirectory& job, trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
