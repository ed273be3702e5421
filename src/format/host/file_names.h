#pragma once

// Names in a `PROF_*` directory that are the same in all of them. Names that tell what is in a file
// are in names.h.

#include <string_view>

namespace npuprof::format::host {

inline constexpr std::string_view kProfPrefix = "PROF_";

// Control files in `host`. `device_<N>` has copies, with `.<N>` behind the name of all but
// kSampleFile.
inline constexpr std::string_view kInfoFile = "info.json";
inline constexpr std::string_view kSampleFile = "sample.json";
inline constexpr std::string_view kStartFile = "start_info";
inline constexpr std::string_view kEndFile = "end_info";
inline constexpr std::string_view kHostClockFile = "host_start.log";
inline constexpr std::string_view kDeviceClockFile = "dev_start.log";  // In `device_<N>` alone.

}  // namespace npuprof::format::host
