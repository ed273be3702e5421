#pragma once

// What the host sampler saw of the process and the machine.

#include "format/host/control.h"
#include "load/cann_host/decode.h"
#include "trace/host/host_usage.h"
#include "trace/host/os_calls.h"
#include "trace/trace.h"

namespace npuprof::load {

// CPU, memory, disk and network rows, each kind in time order.
void decode_host_usage(DecodeContext& context, const format::host::InfoJson& info,
                       double disk_sample_hz, trace::HostUsage& usage);

// System and pthread calls. Their tracers have clocks of their own: the first call of either is put
// at the begin of the collection.
void decode_os_calls(DecodeContext& context, std::int64_t begin_ns, std::uint32_t pid,
                     trace::OsCalls& calls);

}  // namespace npuprof::load
