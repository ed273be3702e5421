#pragma once

#include "report/timeline/context.h"

namespace npuprof::report {

// What a timeline of MindSpore has beside the layers of CANN: operators and frames of Python
// (process MindSpore), kernels on the host (CPU OP), and the scopes of the network that kernels
// belong to (Scope Layer), a lane for each level.
template <typename Sink>
void write_mindspore_layers(const TimelineContext& context, Sink& sink);
template <typename Sink>
void write_scope_layer(const TimelineContext& context, Sink& sink);

// One scope, open for as long as kernels of it follow each other.
struct ScopeSlice {
  std::uint32_t level = 0;
  std::string_view name;  // Points into names of the trace.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};
std::vector<ScopeSlice> scope_slices(const TimelineContext& context);

}  // namespace npuprof::report
