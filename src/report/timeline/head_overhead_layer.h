#pragma once

// The layer of a timeline that shows where the host's time goes before each execution of a compiled
// graph. It was not recorded: it is computed from operators, so results do not have it.

#include <string_view>

#include "report/timeline/context.h"

namespace npuprof::report {

inline constexpr std::string_view kHeadOverheadLayerName = "Head Overhead";

template <typename Sink>
void write_head_overhead_layer(const TimelineContext& context, Sink& sink);

}  // namespace npuprof::report
