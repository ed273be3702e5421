#include "cann/switches.h"

#include <algorithm>
#include <string_view>

#include "cann/aicore_metrics.h"
#include "npuprof/cann_abi.h"

namespace npuprof::cann {
namespace {

constexpr std::uint64_t kLevel0 = NPUPROF_PROF_TASK_TIME_L0 | NPUPROF_PROF_ACL_API;
constexpr std::uint64_t kLevel1 = NPUPROF_PROF_TASK_TIME | NPUPROF_PROF_ACL_API |
                                  NPUPROF_PROF_HCCL_TRACE | NPUPROF_PROF_AICORE_METRICS;
constexpr std::uint64_t kLevel2 = kLevel1 | NPUPROF_PROF_RUNTIME_API | NPUPROF_PROF_AICPU;

// Samples per second, as texts: that is how they are set.
constexpr const char* kMemoryHz = "50";
constexpr const char* kIoHz = "100";
constexpr const char* kInterconnectionHz = "50";

std::uint64_t level_bits(std::string_view level) {
  if (level == "Level2") return kLevel2;
  if (level == "Level1") return kLevel1;
  return level == "Level_none" ? 0 : kLevel0;
}

bool has_feature(std::span<const std::string> features, std::string_view name) {
  return std::find(features.begin(), features.end(), name) != features.end();
}

int chosen_metrics(const CollectionOptions& options, std::span<const std::string> features) {
  std::string_view name = options.aic_metrics;
  if (name == "ACL_AICORE_MEMORY_ACCESS" && !has_feature(features, "MemoryAccess")) {
    const bool has_counters =
        options.profiler_level == "Level1" || options.profiler_level == "Level2";
    name = has_counters ? "ACL_AICORE_PIPE_UTILIZATION" : "";
  }
  return metrics_number(name).value_or(NPUPROF_AICORE_NONE);
}

}  // namespace

Switches make_switches(const CollectionOptions& options, std::span<const std::string> features) {
  Switches result;
  result.metrics = chosen_metrics(options, features);
  result.bits = level_bits(options.profiler_level);
  const auto add = [&result](bool wanted, std::uint64_t bit) {
    if (wanted) result.bits |= bit;
  };
  add(result.metrics != NPUPROF_AICORE_NONE, NPUPROF_PROF_AICORE_METRICS);
  add(options.l2_cache, NPUPROF_PROF_L2CACHE);
  add(options.mstx, NPUPROF_PROF_MSPROFTX);
  add(options.op_attr && has_feature(features, "ATTR"), NPUPROF_PROF_OP_ATTR);
  add(options.profile_memory, NPUPROF_PROF_TASK_MEMORY);
  add(options.record_shapes && options.profiler_level == "Level0" &&
          has_feature(features, "AICORE_SHAPE"),
      NPUPROF_PROF_AICORE_SHAPE);

  const auto set = [&result](bool wanted, int type, std::string value) {
    if (wanted) result.settings.emplace_back(type, std::move(value));
  };
  set(options.profile_memory, NPUPROF_CONFIG_MEMORY_FREQUENCY, kMemoryHz);
  set(options.sys_io, NPUPROF_CONFIG_IO_FREQUENCY, kIoHz);
  set(options.sys_interconnection, NPUPROF_CONFIG_INTERCONNECTION_FREQUENCY, kInterconnectionHz);
  return result;
}

}  // namespace npuprof::cann
