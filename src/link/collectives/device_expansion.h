#pragma once

#include "link/collectives/collective_drafts.h"
#include "trace/trace.h"

namespace npuprof::link {

// Adds the collectives whose tasks AI CPUs put on streams: of fused compute and communication
// kernels, and of communication libraries that expand collectives on the device. A draft of the
// host for the same collective is replaced; its tasks, which only control the AI CPU, become plane
// 0.
//
// The AI CPU kernel stands for the collective. It runs on the stream that the host names for the
// communicator, or has a name that ends in AicpuKernel. The AI CPU reports what it does while the
// kernel runs: the collective (kind 10 of DeviceCollectives), the first and the last task on the
// main stream (kind 12), which give the collective's time, and its tasks (kind 13).
void add_device_collectives(const trace::Trace& trace, CollectiveDrafts& drafts);

}  // namespace npuprof::link
