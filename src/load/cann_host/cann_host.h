#pragma once

#include <span>

#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Reads the host half of one or more collections of the same process into the tables of cann_host.h
// and into Session. What is damaged or missing becomes a loss; the rest is kept.
//
// A trace without host data is still useful: device tasks then have no names. So nothing here
// fails.
void load_cann_host(std::span<const CannDirectory> collections, trace::Trace& trace,
                    trace::Losses& losses);

}  // namespace npuprof::load
