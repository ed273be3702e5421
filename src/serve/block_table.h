#pragma once

// Blocks of memory with the operators that asked for them, as a table: what operator_memory.csv
// has, in the columns of answers.

#include <optional>

#include "answers/table.h"
#include "serve/span.h"
#include "trace/trace.h"

namespace npuprof::serve {

// With a range, blocks that were allocated or released in it; of wall clocks.
answers::Table block_table(const trace::Trace& trace, std::optional<Span> range);

}  // namespace npuprof::serve
