#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "link/host/call_records.h"
#include "link/host/task_kinds.h"
#include "trace/trace.h"

namespace npuprof::link {

// A kernel under a node-level call.
struct OpSite {
  std::uint32_t track = trace::kNone;
  std::uint32_t node = trace::kNone;             // Index into forest.nodes.
  std::uint32_t collective_call = trace::kNone;  // Index into forest.collectives, or kNone.
  const TaskKind* kind = nullptr;
};

// Adds rows to LaunchedOps from what was reported about a launch.
class OpDescriber {
 public:
  OpDescriber(trace::Trace& trace, const CallRecords& records);

  // The operator of a kernel; the last record of each sort counts. Returns the row in LaunchedOps.
  std::uint32_t describe(const OpSite& site);

  // The operators of a task that runs as contexts, each with its context. Several operators if the
  // contexts were reported for several: then records are matched by the operator's name.
  std::span<const std::pair<std::uint32_t, std::uint32_t>> describe_contexts(const OpSite& site);

  // The operator of a kernel that no node-level call launched: from the captured graph (row in
  // CapturedOps, or kNone), else just the kernel's name. kNone if not even that is known.
  std::uint32_t describe_without_node(std::uint32_t track, const TaskKind& kind,
                                      std::uint32_t captured_op);

 private:
  struct Records {
    std::uint32_t info = trace::kNone;
    std::uint32_t tensors = trace::kNone;
    std::uint32_t attributes = trace::kNone;
  };
  std::uint32_t add(const OpSite& site, const Records& records, StringId fallback_name);
  StringId call_item(std::uint32_t position) const;
  std::uint32_t push(std::uint32_t track, StringId name);

  trace::Trace& trace_;
  const CallRecords& records_;
  bool is_level_0_ = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> op_contexts_;  // Scratch: op, context.
};

}  // namespace npuprof::link
