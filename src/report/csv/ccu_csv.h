#pragma once

#include "report/csv/csv_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// ccu_mission: what the collective communication unit did, a line for each rank it waited for.
Status write_ccu_missions(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool);

}  // namespace npuprof::report
