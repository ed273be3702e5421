#include "cann/aicore_metrics.h"

#include <array>

namespace npuprof::cann {
namespace {

struct MetricsName {
  std::string_view acl;
  std::string_view plain;  // Empty: not offered under such a name.
};

constexpr std::array<MetricsName, 9> kMetricsNames = {{
    {"ACL_AICORE_ARITHMETIC_UTILIZATION", "ArithmeticUtilization"},
    {"ACL_AICORE_PIPE_UTILIZATION", "PipeUtilization"},
    {"ACL_AICORE_MEMORY_BANDWIDTH", "Memory"},
    {"ACL_AICORE_L0B_AND_WIDTH", "MemoryL0"},
    {"ACL_AICORE_RESOURCE_CONFLICT_RATIO", "ResourceConflictRatio"},
    {"ACL_AICORE_MEMORY_UB", "MemoryUB"},
    {"ACL_AICORE_L2_CACHE", "L2Cache"},
    {"ACL_AICORE_PIPE_EXECUTE_UTILIZATION", ""},
    {"ACL_AICORE_MEMORY_ACCESS", "MemoryAccess"},
}};

}  // namespace

std::optional<int> metrics_number(std::string_view name) {
  for (std::size_t i = 0; i < kMetricsNames.size() && !name.empty(); ++i) {
    if (name == kMetricsNames[i].acl || name == kMetricsNames[i].plain) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> metrics_names() {
  std::vector<std::string_view> names;
  for (const MetricsName& name : kMetricsNames) {
    if (!name.plain.empty()) names.push_back(name.plain);
  }
  return names;
}

}  // namespace npuprof::cann
