#pragma once

#include <optional>

#include "format/framework/profiler_info.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Reads profiler_info and profiler_metadata into the session. What the CANN data also tells (level,
// versions, end) is set only if it is not yet known. Returns nothing if there is no usable
// profiler_info.
std::optional<format::framework::ProfilerInfo> load_framework_session(const Profile& profile,
                                                                      trace::Session& session,
                                                                      trace::Losses& losses);

}  // namespace npuprof::load
