#pragma once

// The tables that PyTorch profiles have beside those of CANN: operators, Python calls, memory,
// steps.

#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database_strings.h"
#include "trace/trace.h"

namespace npuprof::report::sqlite {

void write_framework_tables(const trace::Trace& trace, DatabaseStrings& strings,
                            BulkDatabase& database);

}  // namespace npuprof::report::sqlite
