#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace npuprof::trace {

// Puts the rows of a table of `trace` in another order: new row i is old row order[i]. What is
// given by row of that table elsewhere, and references to its rows in all tables, follow; those to
// rows that are not in `order` become kNone.
template <typename Table>
void reorder(Trace& trace, std::span<const std::uint32_t> order);

}  // namespace npuprof::trace
