#pragma once

#include <vector>

#include "base/string_pool.h"
#include "trace/trace.h"

namespace npuprof::trace {

// Moves all rows of `part` to the ends of the tables of `trace`: string ids become those of its
// pool, references to rows follow these. Session, devices and metrics are left alone. `part` is
// empty then. Returns its string ids in the pool of `trace`, by old id.
std::vector<StringId> append(Trace& trace, Trace&& part);

}  // namespace npuprof::trace
