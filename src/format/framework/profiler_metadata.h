#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/framework/extra_key.h"
#include "format/json_layout.h"

namespace npuprof::format::framework {

inline constexpr std::string_view kProfilerMetadataFile = "profiler_metadata.json";

// The environment variables that are always recorded, empty if unset.
inline constexpr std::array<std::string_view, 9> kRecordedEnvironment{
    "ASCEND_GLOBAL_LOG_LEVEL", "HCCL_RDMA_TC",           "HCCL_RDMA_SL",
    "ACLNN_CACHE_LIMIT",       "HOST_CACHE_CAPACITY",    "ASCEND_ENHANCE_ENABLE",
    "PYTORCH_NPU_ALLOC_CONF",  "ASCEND_LAUNCH_BLOCKING", "HCCL_ALGO"};

// `profiler_metadata.json`: what the user added, and facts about the process.
struct ProfilerMetadata {
  struct Variable {
    std::string name;
    std::string value;

    bool operator==(const Variable&) const = default;
  };

  struct ParallelGroup {
    std::string communication_domain;  // The key: name of the HCCL communicator.
    std::string group_name;            // "default_group" for the default process group.
    std::int64_t group_rank = 0;
    std::vector<std::int64_t> global_ranks;
    std::vector<ExtraKey> extra;

    bool operator==(const ParallelGroup&) const = default;
  };

  std::vector<ExtraKey> user;  // Keys of the user, and unknown ones; written first.
  std::optional<std::vector<Variable>> environment;
  std::optional<std::vector<ParallelGroup>> parallel_groups;
  std::optional<std::string> trace_id;
  JsonLayout layout;  // Of the file it was read from.

  bool operator==(const ProfilerMetadata&) const = default;

  // Nothing is to be written.
  bool empty() const { return user.empty() && !environment && !parallel_groups && !trace_id; }
};

// Reads one-line and indented files alike. Keys may be missing; only text that is no JSON object
// is an error.
Result<ProfilerMetadata> parse_profiler_metadata(std::string_view text);

// JSON on one line with ", " and ": " as separators, or laid out as the file it was read from.
std::string to_json(const ProfilerMetadata& metadata);

}  // namespace npuprof::format::framework
