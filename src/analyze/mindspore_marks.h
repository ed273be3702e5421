#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// By row of Marks: MindSpore's own record of the mark, a row of FrameworkOps; kNone if there is
// none. It is the first record of mstx on the thread that contains the begin of the mark. Empty for
// other frameworks.
std::vector<std::uint32_t> mindspore_marks(const trace::Trace& trace);

}  // namespace npuprof::analyze
