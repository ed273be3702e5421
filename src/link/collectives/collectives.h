#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Fills CollectiveOps and CollectiveTasks. Needs Tasks, Kernels and the launches.
//
// Normally the host puts the tasks of a collective on streams, and they belong to the collective
// whose call launched them. A collective lasts from the first start to the last end of its tasks on
// the master plane. AI CPUs may also put the tasks on streams themselves (device_collectives.h).
//
// A name is `<name>_<end of the group's hash>_<number>_<execution>`: collectives of a group are
// numbered by launch from 0, those before the collection started have -1; replays of a graph count
// executions from 1.
void link_collectives(trace::Trace& trace);

}  // namespace npuprof::link
