#pragma once

#include "analyze/head_overhead.h"
#include "answers/table.h"

namespace npuprof::answers {

// A bar for each execution, for terminals: its parts drawn with characters of their own, all to the
// scale of the longest that compiled nothing.
Table head_overhead_bars(const analyze::HeadOverhead& overhead);

}  // namespace npuprof::answers
