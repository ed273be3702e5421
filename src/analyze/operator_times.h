#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// Host and device time of each framework operator: one entry per row of FrameworkOps, in ns. "Self"
// is without what nested operators did.
//
// Device time is how long the device worked for the operator: what runs side by side counts once,
// and a collective lasts from its begin to its end, whatever its tasks do between.
struct OperatorTimes {
  std::vector<std::int64_t> host_self_ns;
  std::vector<std::int64_t> device_self_ns;
  std::vector<std::int64_t> device_total_ns;
  std::vector<std::int64_t> ai_core_self_ns;  // Of these, kernels of type AI_CORE.
  std::vector<std::int64_t> ai_core_total_ns;
};

OperatorTimes operator_times(const trace::Trace& trace);

// Rows of FrameworkOps in order of their start, outer operators first, without step marks.
std::vector<std::uint32_t> operators_by_start(const trace::Trace& trace);

}  // namespace npuprof::analyze
