#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// Rows of PythonCalls that were still open when recording stopped. They end with the last event of
// their thread, and a return ends no more than one frame: of those that end with it all but the
// innermost were open, and that one too if it had just begun.
std::vector<std::uint32_t> unfinished_python_calls(const trace::Trace& trace);

}  // namespace npuprof::analyze
