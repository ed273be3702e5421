#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/table_list.h"
#include "trace/trace.h"

namespace npuprof::trace {

// Puts the rows of a table of `trace` in another order: new row i is old row order[i]. What is
// given by row of that table elsewhere, and references to its rows in all tables, follow; those to
// rows that are not in `order` become kNone.
void reorder(Trace& trace, std::size_t table_number, std::span<const std::uint32_t> order);
template <typename Table>
void reorder(Trace& trace, std::span<const std::uint32_t> order) {
  reorder(trace, kTableNumber<Table>, order);
}

}  // namespace npuprof::trace
