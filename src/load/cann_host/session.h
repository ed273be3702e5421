#pragma once

#include "format/host/control.h"
#include "load/cann_host/host_clock.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What the control files of one collection say.
struct HostSession {
  format::host::InfoJson info;
  HostClock clock;
  // False: no file ties the counter to a time, so the clock shows durations but no points in time.
  bool has_anchor = true;
};

// Reads the control files of `host/`. Files that are missing there are looked for in the device
// directories, which hold copies, and what is missing everywhere becomes a default and a loss.
//
// Fills `session` except for what it knows already (from an earlier collection of the same
// process).
HostSession read_host_session(const CannDirectory& directory, trace::Session& session,
                              trace::Losses& losses);

}  // namespace npuprof::load
