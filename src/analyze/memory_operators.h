#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// For each row of MemoryEvents the innermost operator that its thread was in; kNone = none.
std::vector<std::uint32_t> operators_at_memory_events(const trace::Trace& trace);

}  // namespace npuprof::analyze
