#pragma once

// Blocks of memory with the operator that asked for each: operator_memory.csv of frameworks, and
// OP_MEMORY.

#include "report/csv/csv_file.h"
#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database_strings.h"
#include "trace/trace.h"

namespace npuprof::report {

Status write_operator_memory(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
// Without blocks there is no table.
void write_operator_memory(const trace::Trace& trace, sqlite::DatabaseStrings& strings,
                           sqlite::BulkDatabase& database);

}  // namespace npuprof::report
