#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/thread_pool.h"
#include "load/cann_host/cann_host.h"

namespace npuprof::load::testing {

// The host's half of collections alone.
inline void load_cann_host(std::span<const CannDirectory> collections, trace::Trace& trace,
                           trace::Losses& losses) {
  const auto sessions = read_host_sessions(collections, {}, trace.session, losses);
  for (std::size_t i = 0; i < collections.size(); ++i) {
    const HostFacts facts = read_host_facts(collections[i], sessions[i], trace, losses);
    LoadJobs jobs;
    add_host_jobs(facts, trace, jobs);
    std::move(jobs).run(trace.strings, losses, &shared_thread_pool());
  }
  finish_host_tables(trace);
}

}  // namespace npuprof::load::testing
