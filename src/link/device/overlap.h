#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Fills OverlapIntervals, the Overlap Analysis of each device: when it computed, when it
// communicated, when it communicated without computing, and when it did neither. Needs Tasks,
// Kernels and CollectiveOps.
//
// Kernels that only drive or carry out communication (on the AI CPU streams of communicators, or
// named ...AicpuKernel, ...AivKernel) do not count as computing. "Free" lies within the span of all
// that ran on the device.
void link_overlap(trace::Trace& trace);

}  // namespace npuprof::link
