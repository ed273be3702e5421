#pragma once

#include "base/string_pool.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::link {

// Sets the bandwidth of all tasks from their sizes and times. Tasks must be grouped by op and in
// order of time.
//
// Bytes over time, except for runs of RDMA payloads on one plane: sending ends with the task that
// closes the run, a few tasks after the last payload, and all payloads get the bandwidth of the
// run.
void set_bandwidths(const trace::CollectiveOps& ops, const StringPool& strings,
                    trace::CollectiveTasks& tasks);

}  // namespace npuprof::link
