#pragma once

#include "base/result.h"

struct sqlite3;

namespace npuprof::query {

// Functions that statements have beside SQLite's: `text REGEXP expression`, with the expressions of
// answers/name_expression.h.
Status add_sql_functions(sqlite3* database);

}  // namespace npuprof::query
