#include "sim/torch/program_info.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/file.h"
#include "sim/model/random.h"

namespace npuprof::sim {
namespace {

using format::framework::ProfilerInfo;
using format::framework::ProfilerMetadata;

std::string level_name(CollectionLevel level) {
  switch (level) {
    case CollectionLevel::kLevel0:
      return "Level0";
    case CollectionLevel::kLevel1:
      return "Level1";
    case CollectionLevel::kLevel2:
      return "Level2";
    case CollectionLevel::kNone:
      break;
  }
  return "Level_none";
}

// The framework offers fewer groups than the device library.
std::string metrics_name(const CollectionSettings& collection) {
  if (!collection.operator_details()) return "ACL_AICORE_NONE";
  switch (collection.aic_metrics.group) {
    case MetricGroup::kArithmeticUtilization:
      return "ACL_AICORE_ARITHMETIC_UTILIZATION";
    case MetricGroup::kPipeUtilization:
    case MetricGroup::kPipelineExecuteUtilization:
      return "ACL_AICORE_PIPE_UTILIZATION";
    case MetricGroup::kMemory:
      return "ACL_AICORE_MEMORY_BANDWIDTH";
    case MetricGroup::kMemoryL0:
      return "ACL_AICORE_L0B_AND_WIDTH";
    case MetricGroup::kResourceConflictRatio:
      return "ACL_AICORE_RESOURCE_CONFLICT_RATIO";
    case MetricGroup::kMemoryUb:
      return "ACL_AICORE_MEMORY_UB";
    case MetricGroup::kL2Cache:
      return "ACL_AICORE_L2_CACHE";
    case MetricGroup::kMemoryAccess:
      return "ACL_AICORE_MEMORY_ACCESS";
    case MetricGroup::kCustom:
    case MetricGroup::kNone:
      break;
  }
  return "ACL_AICORE_NONE";
}

ProfilerInfo::ExperimentalConfig experimental_config(const ProgramInfo& program) {
  const CollectionSettings& collection = program.collection;
  ProfilerInfo::ExperimentalConfig config;
  config.profiler_level = level_name(collection.level);
  config.aic_metrics = metrics_name(collection);
  config.l2_cache = collection.l2_cache;
  config.msprof_tx = collection.mstx;
  config.mstx = collection.mstx;
  config.data_simplification = program.data_simplification;
  config.export_type = program.export_type;
  config.host_sys = collection.host_sys.names();
  config.op_attr = collection.op_attr;
  config.gc_detect_threshold_ms = program.framework.gc_detect_threshold_ms;
  config.mstx_domain_include.emplace();
  config.mstx_domain_exclude.emplace();
  config.sys_io = collection.sys_io;
  config.sys_interconnection = collection.sys_interconnection;
  return config;
}

// A random UUID of version 4, without hyphens.
std::string trace_id(const ProgramInfo& program) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::size_t kVersionDigit = 12;
  constexpr std::size_t kVariantDigit = 16;
  Random random(derive_seed(program.seed, static_cast<std::uint64_t>(program.rank.value_or(0))));
  std::string id;
  for (std::size_t i = 0; i < 32; ++i) id += kDigits[random.below(kDigits.size())];
  id[kVersionDigit] = '4';
  id[kVariantDigit] = kDigits[8 + random.below(4)];
  return id;
}

}  // namespace

ProfilerInfo make_profiler_info(const ProgramInfo& program, const SimClock& clock) {
  ProfilerInfo info;
  info.common.activities = {"ProfilerActivity.CPU", "ProfilerActivity.NPU"};
  info.common.schedule = program.schedule;
  if (!info.common.schedule) info.common.schedule.emplace().is_function = true;
  info.common.record_shapes = program.framework.record_shapes;
  info.common.profile_memory = program.framework.profile_memory;
  info.common.with_stack = program.framework.with_stack;
  info.common.with_flops = program.framework.with_flops;
  info.common.with_modules = program.framework.with_modules;
  info.experimental = experimental_config(program);

  // Counter and monotonic clock as a reader relates them by the anchors of the host.
  const ClockAnchors& anchors = clock.anchors();
  const std::uint64_t start_ticks = clock.host_ticks(program.start_ns);
  const std::int64_t wall_offset_ns = anchors.wall_begin_us * 1000 - anchors.monotonic_begin_ns;
  info.start.syscnt_enable = true;
  info.start.freq_mhz = anchors.host_mhz;
  info.start.start_cnt = static_cast<std::int64_t>(start_ticks);
  info.start.start_monotonic_ns = clock.wall_ns_of_host_ticks(start_ticks) - wall_offset_ns;
  info.end.collection_time_end_ns = clock.wall_ns(program.end_ns);
  info.end.monotonic_time_end_ns = clock.monotonic_ns(program.end_ns);

  info.torch_npu_version = program.torch_npu_version;
  info.cann_version = program.cann_version;
  info.rank_id = program.rank;
  info.rank_id_is_text = program.rank.has_value();  // As torchrun sets it.
  info.simulated = true;
  return info;
}

ProfilerMetadata make_profiler_metadata(const ProgramInfo& program) {
  ProfilerMetadata metadata;
  metadata.user = program.user_metadata;
  const auto& types = program.export_type;
  if (std::find(types.begin(), types.end(), "text") != types.end()) {
    auto& environment = metadata.environment.emplace();
    for (const std::string_view name : format::framework::kRecordedEnvironment) {
      ProfilerMetadata::Variable variable{std::string(name), ""};
      for (const auto& setting : program.environment) {
        if (setting.name == name) variable.value = setting.value;
      }
      environment.push_back(std::move(variable));
    }
  }
  if (!program.groups.empty()) metadata.parallel_groups = program.groups;
  metadata.trace_id = trace_id(program);
  return metadata;
}

Status write_program_info(const std::filesystem::path& directory, const ProgramInfo& program,
                          const SimClock& clock) {
  NPUPROF_RETURN_IF_ERROR(
      write_file(directory / format::framework::profiler_info_file_name(program.rank),
                 to_json(make_profiler_info(program, clock))));
  return write_file(directory / format::framework::kProfilerMetadataFile,
                    to_json(make_profiler_metadata(program)));
}

}  // namespace npuprof::sim
