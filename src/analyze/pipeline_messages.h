#pragma once

// What a rank sent to and received from the other stages of its pipeline, as the parts of its
// transfers tell (profiler level 1).

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

struct PipelineMessage {
  std::uint32_t collective = 0;  // Row of CollectiveOps.
  std::uint32_t own = 0;         // Ranks within the group.
  std::uint32_t peer = 0;
  bool is_sent = false;
  std::uint64_t bytes = 0;
  std::int64_t start_ns = 0;  // Of what is sent when the first data moves, else of the first part.
  std::int64_t end_ns = 0;
};

// Of these rows of CollectiveOps, in their order. Where one operator sends and receives at once,
// the planes that move data send, and the others receive.
std::vector<PipelineMessage> pipeline_messages(const trace::Trace& trace,
                                               std::span<const std::uint32_t> transfers);

}  // namespace npuprof::analyze
