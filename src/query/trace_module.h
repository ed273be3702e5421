#pragma once

// Tables of a Trace as virtual tables of SQLite: a statement reads the columns where they are.

#include <deque>

#include "base/result.h"
#include "query/shown_table.h"
#include "trace/trace.h"

struct sqlite3;

namespace npuprof::query {

// Every table of the model, with its name and those of its columns. The trace must live as long as
// they are used and stay as it is.
std::deque<ShownTable> trace_tables(const trace::Trace& trace);

// Lets statements of the connection read a table by its name; it must live as long. rowid is the
// row's number. Rows are found without reading all of them by rowid, by ranges of columns that
// ascend (the start of tables sorted by time), and by equality of columns that refer to rows.
Status add_virtual_table(sqlite3* database, ShownTable& table);

// Whether this thread is telling SQLite the columns of such a table, which it does in the form of a
// statement that would create one; that is no statement of a user.
bool is_declaring_virtual_table();

}  // namespace npuprof::query
