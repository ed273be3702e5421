#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Finds the kernel of records that name only a stream and a task. L2 and SoC counters have no time:
// the n-th record of a (stream, task) is taken to be of the n-th kernel with it. AI CPU records lie
// within their kernel. Sets CacheCounters::kernel and AicpuNodes::kernel. Needs Kernels.
void link_kernel_records(trace::Trace& trace);

}  // namespace npuprof::link
