#pragma once

// How much memory each pool holds after each event: memory_record.csv of frameworks, and
// MEMORY_RECORD.

#include "report/csv/csv_file.h"
#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database_strings.h"
#include "trace/trace.h"

namespace npuprof::report {

// With the memory of the process, which the database has in a table of its own.
Status write_memory_record(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);
// Without events there is no table.
void write_memory_record(const trace::Trace& trace, sqlite::DatabaseStrings& strings,
                         sqlite::BulkDatabase& database);

}  // namespace npuprof::report
