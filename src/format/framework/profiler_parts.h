#pragma once

// Parts of profiler_info that are the same whatever the framework. Included by .cc files only.

#include <optional>

#include "format/framework/json_object.h"
#include "format/framework/profiler_info.h"

namespace npuprof::format::framework::internal {

ProfilerSchedule read_schedule(Json object);
// Nothing is null.
Json write_schedule(const std::optional<ProfilerSchedule>& schedule);

ProfilerInfo::Recorder read_recorder(Json object);
Json write_recorder(const ProfilerInfo::Recorder& recorder);

}  // namespace npuprof::format::framework::internal
