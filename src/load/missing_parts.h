#pragma once

// What is not there although other parts of the profile prove that it was.

#include <optional>

#include "format/framework/profiler_info.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// `info` as profiler_info has it, `trace` as it was loaded from raw data. Missing directories and
// files become losses, with the number of records that refer to them.
void report_missing_parts(const Profile& profile,
                          const std::optional<format::framework::ProfilerInfo>& info,
                          const trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
