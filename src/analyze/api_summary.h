#pragma once

#include <cstdint>
#include <vector>

#include "analyze/duration_summary.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Host calls of one level that share a name.
struct ApiSummary {
  std::uint16_t level = 0;  // format::host::Level.
  StringId name{};
  DurationSummary times;  // `longest` is a row of ApiCalls.
  double share = 0;       // Of the time of all calls of the level, 0 to 1.
};

// Levels from the framework down, longest total first. A call contains calls of levels below it.
std::vector<ApiSummary> api_summaries(const trace::Trace& trace);

}  // namespace npuprof::analyze
