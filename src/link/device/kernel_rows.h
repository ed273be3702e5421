#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace npuprof::link {

// Fills Kernels with one row per row of Tasks in `tasks` (ascending, each with a launch that has an
// operator) and sets Tasks::kernel. Block counts decided on the device replace the host's.
void fill_kernels(trace::Trace& trace, std::span<const std::uint32_t> tasks);

// Finds the counters of each kernel: those with its identity whose end lies within the kernel. Sets
// Kernels::pmu and slave_pmu.
void join_counters(trace::Trace& trace);

}  // namespace npuprof::link
