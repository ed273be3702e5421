#pragma once

// Tables of a database that say what was profiled, and those that explain numbers of other tables.

#include "format/results/column.h"

namespace npuprof::format::results {

// Schema version and what the profiler noted about the run, each value as JSON.
namespace meta_data {
inline constexpr std::string_view kTable = "META_DATA";
inline constexpr StoredColumn kName{"name", kT};
inline constexpr StoredColumn kValue{"value", kT};
// Our own: facts of a device, whose number follows, as a JSON object.
inline constexpr std::string_view kDeviceFacts = "DEVICE_INFO_";
inline constexpr const char* kAiCores = "ai_core_num";
inline constexpr const char* kVectorCores = "aiv_num";
inline constexpr const char* kMegahertz = "aic_frequency_mhz";
}  // namespace meta_data

namespace session_time_info {
inline constexpr std::string_view kTable = "SESSION_TIME_INFO";
inline constexpr StoredColumn kStart{"startTimeNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endTimeNs", kI, Unit::kTimeNs};
}  // namespace session_time_info

namespace npu_info {
inline constexpr std::string_view kTable = "NPU_INFO";
inline constexpr StoredColumn kId{"id", kI};
inline constexpr StoredColumn kName{"name", kT};
}  // namespace npu_info

namespace host_info {
inline constexpr std::string_view kTable = "HOST_INFO";
inline constexpr StoredColumn kUid{"hostUid", kT};
inline constexpr StoredColumn kName{"hostName", kT};
}  // namespace host_info

namespace rank_device_map {
inline constexpr std::string_view kTable = "RANK_DEVICE_MAP";
inline constexpr StoredColumn kRank{"rankId", kI};
inline constexpr StoredColumn kDevice{"deviceId", kI};
}  // namespace rank_device_map

// Texts of all tables. Written last: readers take it for the mark of a complete file.
namespace string_ids {
inline constexpr std::string_view kTable = "STRING_IDS";
inline constexpr StoredColumn kId = key_column("id");
inline constexpr StoredColumn kValue{"value", kT};
}  // namespace string_ids

// Names of numbers: ENUM_API_TYPE, ENUM_MODULE, ...
namespace enumeration {
inline constexpr std::string_view kModules = "ENUM_MODULE";
inline constexpr StoredColumn kId = key_column("id");
inline constexpr StoredColumn kName{"name", kT};
}  // namespace enumeration

}  // namespace npuprof::format::results
