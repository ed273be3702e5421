#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace npuprof::load {

// What events of a timeline leave to the place and the name of their file. CANN's exports of 2023
// are `device_<N>/timeline/msprof_<N>_<model>_<iteration>.json`: neither their process ids nor
// their times say which device it was and when. Timelines that MindSpore made for display,
// `[ascend_|gpu_]timeline_display_<device>.json`, have no names of processes.
struct TimelineOrigin {
  std::uint16_t device = 0;
  // What the monotonic clock lacks to the wall clock, for times that come before it; 0 = not known.
  std::int64_t monotonic_to_wall_ns = 0;
  bool is_display = false;
};

// The device in the name of a timeline for display; nothing for other names.
std::optional<std::uint16_t> device_of_display(std::string_view file_name);

// Looks at the name of a timeline and at the control files beside it. What these say about the
// program and its rank goes into the session.
TimelineOrigin find_timeline_origin(const std::filesystem::path& timeline, trace::Session& session);

}  // namespace npuprof::load
