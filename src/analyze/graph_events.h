#pragma once

// Ranges that the layers of graph mode (Dynamo, TorchAir, GE) leave in the profile, by thread and
// nested by time.

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

enum class GraphEvent : std::uint8_t {
  kOther,
  kRegion,          // Torch-Compiled Region, CompiledFunction
  kCacheInference,  // cache_compiler inference
  kInference,       // npu_fx_compiler inference
  kLookup,          // TorchDynamo Cache Lookup
  kCompile,         // TorchNpuGraphBase::Load, SetHintShape, Compile, AutoTune
  kRun,             // TorchNpuGraphBase::Run
  kAssembleInputs,
  kAssembleOutputs,
  kLoadGraph,
  kExecute,  // ExecuteGraph; RunGraph of older CANN
  kRefresh,
  kWarmUp,  // Of an ACL graph, as the next two.
  kCapture,
  kReplay,
  kRunEagerly,
};

// What a range of this name is. Documents print some names with underscores where programs write
// blanks; both are known.
GraphEvent graph_event_of(std::string_view name);
// "0/1" of "Torch-Compiled Region: 0/1"; empty if there is none.
std::string_view region_id(std::string_view name);

// The ranges of one thread, outer ones first: by start, the longer first, then by layer.
struct GraphThread {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::vector<std::uint32_t> rows;    // In FrameworkOps.
  std::vector<GraphEvent> events;     // As rows, like all that follow.
  std::vector<std::int64_t> starts;   // ns
  std::vector<std::int64_t> ends;     // ns; not before the start.
  std::vector<std::uint32_t> parent;  // Place in `rows` of the innermost range around, or kNone.
  std::vector<bool> is_damaged;       // The range ended before it began.

  std::size_t size() const { return rows.size(); }
  // The first place whose range starts at that time or later.
  std::size_t first_from(std::int64_t time_ns) const;
};

// Threads that ran compiled graphs, in order of their first range; empty if no range of TorchAir
// was recorded.
std::vector<GraphThread> graph_threads(const trace::Trace& trace);

}  // namespace npuprof::analyze
