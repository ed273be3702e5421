#pragma once

// Columns of the model's tables (trace/table.h) as SQLite shows them.

#include <string_view>

#include "base/string_pool.h"
#include "query/shown_table.h"
#include "trace/any_table.h"

struct sqlite3_context;

namespace npuprof::query {

void show_text(sqlite3_context* context, std::string_view text);

// Adds the columns of a table, in their order; arrays become a column for each element
// (`counters_0`).
void show_columns(trace::AnyConstTable table, const StringPool& strings, ShownTable& shown);

}  // namespace npuprof::query
