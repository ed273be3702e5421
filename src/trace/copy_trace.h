#pragma once

#include "trace/trace.h"

namespace npuprof::trace {

// All of a trace once more, with the same rows and the same numbers of strings: for whoever leaves
// only a part in it while others look at the whole.
Trace copy_of(const Trace& trace);

}  // namespace npuprof::trace
