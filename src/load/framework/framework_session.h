#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/framework/profiler_info.h"
#include "load/discover.h"
#include "load/framework/recorder_state.h"
#include "load/recording_info.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Puts profiler_info and profiler_metadata into the session. What the CANN data also tells (level,
// versions, end) is set only if it is not yet known.
void load_framework_session(const Profile& profile, const RecordingInfo& told,
                            trace::Session& session, trace::Losses& losses);

// Parts of it, for files that are the same whatever the framework. -1 for what is no rank.
std::int32_t rank_of(std::optional<std::int64_t> told, std::int32_t rank_in_file_name);
trace::Level chosen_level(std::string_view name);
void load_profiler_metadata(const Profile& profile, trace::Session& session, trace::Losses& losses);
// A recording that was completed says so in profiler_info (`told`).
void report_recording(const std::optional<format::framework::ProfilerInfo::Recorder>& told,
                      const std::optional<RecorderState>& state, const std::string& path,
                      trace::Losses& losses);

}  // namespace npuprof::load
