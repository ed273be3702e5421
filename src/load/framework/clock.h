#pragma once

#include <cstdint>
#include <optional>

#include "format/framework/clock.h"
#include "format/framework/profiler_info.h"
#include "load/discover.h"
#include "trace/losses.h"

namespace npuprof::load {

// The clock of the framework's time stamps, from profiler_info and the control files of the CANN
// data. `info` is nothing if there is no profiler_info (it is written last, so a killed process
// leaves none); whether stamps are counter ticks is then judged by `some_stamp`.
format::framework::Clock framework_clock(const Profile& profile,
                                         const std::optional<format::framework::ProfilerInfo>& info,
                                         std::optional<std::int64_t> some_stamp,
                                         trace::Losses& losses);

}  // namespace npuprof::load
