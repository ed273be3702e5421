#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// For each row of Tasks the framework operator that launched it, the innermost if there are
// several; kNone = not known.
std::vector<std::uint32_t> operators_of_tasks(const trace::Trace& trace);

// The call stack of an operator, or of the nearest one around it that has one; empty if none has.
StringId stack_around(const trace::Trace& trace, std::uint32_t op);

}  // namespace npuprof::analyze
