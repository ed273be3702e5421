#pragma once

// Which call each record of the host belongs to.

#include <cstdint>
#include <vector>

#include "link/host/call_forest.h"
#include "link/host/record_chains.h"
#include "link/host/thread_rows.h"
#include "trace/trace.h"

namespace npuprof::link {

// Everything about launches, by the call it was reported in. Chains hold rows of the table they are
// named after. A record belongs to the innermost call of its level around its time; records outside
// every call are in no chain.
struct CallRecords {
  ThreadNumbers threads;
  ThreadRows track_rows;
  CallForest forest;

  // Position in `forest` of the innermost call, or kNone.
  std::vector<std::uint32_t> call_of_track;
  std::vector<std::uint32_t> call_of_fusion_op;

  // By index into forest.nodes.
  RecordChains node_infos;
  RecordChains node_tensors;
  RecordChains node_attributes;
  RecordChains node_contexts;
  RecordChains collective_infos;
  // By index into forest.collectives.
  RecordChains collective_tasks;
  RecordChains collective_contexts;
};

CallRecords assign_call_records(const trace::Trace& trace);

}  // namespace npuprof::link
