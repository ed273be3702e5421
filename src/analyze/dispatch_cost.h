#pragma once

#include <vector>

#include "analyze/host_lead.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// A call that waits for the device; calls inside another such call are part of it.
struct SynchronizationCall {
  std::uint32_t call = trace::kNone;  // Row in ApiCalls.
  std::uint32_t op = trace::kNone;    // Innermost operator around it, on its thread.
};

// In order of their start.
std::vector<SynchronizationCall> synchronization_calls(const trace::Trace& trace);

// Fills `costs` and the sums of `lead` that are made of them, of operators that began on the host
// in the chosen times.
void add_dispatch_costs(const trace::Trace& trace, const std::vector<SynchronizationCall>& calls,
                        const ChosenTimes& chosen, HostLead& lead);

}  // namespace npuprof::analyze
