#pragma once

#include <cstdint>
#include <optional>

#include "format/framework/profiler_info.h"
#include "format/framework/record_clock.h"
#include "format/mindspore/profiler_info.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// The clock of the framework's time stamps, from profiler_info and the control files of the CANN
// data. `info` is nothing if there is no profiler_info (it is written last, so a killed process
// leaves none); whether stamps are counter ticks is then judged by `some_stamp`. `session` has what
// the CANN data is read with, where that is known.
format::framework::Clock framework_clock(const Profile& profile,
                                         const std::optional<format::framework::ProfilerInfo>& info,
                                         std::optional<std::int64_t> some_stamp,
                                         const trace::Session& session, trace::Losses& losses);

// The clock of mindspore.op_range, from the same sources. Nothing where neither the CANN data nor
// `info` tells what its ticks mean.
std::optional<format::framework::Clock> mindspore_clock(
    const Profile& profile, const std::optional<format::mindspore::ProfilerInfo>& info,
    const trace::Session& session, trace::Losses& losses);

}  // namespace npuprof::load
