#pragma once

#include <span>

#include "load/cann_host/session.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Reads the host half of one or more collections of the same process into the tables of
// cann_host.h. `sessions` has what read_host_sessions() said of each of them. What is damaged or
// missing becomes a loss; the rest is kept.
//
// A trace without host data is still useful: device tasks then have no names. So nothing here
// fails.
void load_cann_host(std::span<const CannDirectory> collections,
                    std::span<const HostSession> sessions, trace::Trace& trace,
                    trace::Losses& losses);

inline void load_cann_host(std::span<const CannDirectory> collections, trace::Trace& trace,
                           trace::Losses& losses) {
  load_cann_host(collections, read_host_sessions(collections, {}, trace.session, losses), trace,
                 losses);
}

}  // namespace npuprof::load
