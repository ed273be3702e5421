#pragma once

#include <optional>
#include <span>

#include "load/cann_host/host_files.h"
#include "load/cann_host/host_names.h"
#include "load/cann_host/host_session.h"
#include "load/discover.h"
#include "load/load_jobs.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What all records of a collection are understood by, those of the host and those of its devices;
// so it is read first.
struct HostFacts {
  HostSession session;
  HostClock clock;                 // Of the session, or a guess where no file ties it to a time.
  std::optional<HostFiles> files;  // None if there is no host data.
  HostDictionaries names;          // Their texts are in the pool of the trace.
  bool has_expanded_stream_ids = false;
};

// Names are interned into the trace. `session` is what read_host_sessions() said of the collection.
HostFacts read_host_facts(const CannDirectory& directory, const HostSession& session,
                          trace::Trace& trace, trace::Losses& losses);

// Jobs that read the host half of a collection into the tables of trace/host/. What is damaged or
// missing becomes a loss; the rest is kept. Several collections of a process come one after the
// other. `facts` must outlive the jobs.
//
// A trace without host data is still useful: device tasks then have no names. So nothing here
// fails.
void add_host_jobs(const HostFacts& facts, trace::Trace& trace, LoadJobs& jobs);
// Called when all collections have been read.
void finish_host_tables(trace::Trace& trace);

}  // namespace npuprof::load
