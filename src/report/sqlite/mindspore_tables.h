#pragma once

#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database_strings.h"
#include "trace/trace.h"

namespace npuprof::report::sqlite {

// Kernels on the host and the data pipeline. A table without rows is not there.
void write_mindspore_tables(const trace::Trace& trace, DatabaseStrings& strings,
                            BulkDatabase& database);

}  // namespace npuprof::report::sqlite
