#include "sim/mindspore/mindspore_info.h"

#include <utility>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/profiler_info.h"

namespace npuprof::sim {
namespace {

namespace ms = format::mindspore;

constexpr std::string_view kMetricsPrefix = "ACL_AICORE_";

struct MetricsName {
  std::string_view cann;
  std::string_view mindspore;
};
constexpr MetricsName kMetrics[] = {{"ARITHMETIC_UTILIZATION", "ArithmeticUtilization"},
                                    {"PIPE_UTILIZATION", "PipeUtilization"},
                                    {"MEMORY_BANDWIDTH", "Memory"},
                                    {"L0B_AND_WIDTH", "MemoryL0"},
                                    {"RESOURCE_CONFLICT_RATIO", "ResourceConflictRatio"},
                                    {"MEMORY_UB", "MemoryUB"},
                                    {"L2_CACHE", "L2Cache"},
                                    {"MEMORY_ACCESS", "MemoryAccess"}};

std::string metrics_of(std::string_view cann) {
  for (const auto& [name, own] : kMetrics) {
    if (cann == std::string(kMetricsPrefix) + std::string(name)) return std::string(own);
  }
  return "None";
}

}  // namespace

Status write_mindspore_info(const std::filesystem::path& directory, const ProgramInfo& program,
                            bool data_process) {
  const CollectionSettings& collection = program.collection;
  // Level and counters under the names that PyTorch has for them.
  const SimClock any_clock{ClockOptions{}};
  const auto torch = make_profiler_info(program, any_clock).experimental;
  ms::ProfilerInfo info;
  info.parameters.is_set_schedule = program.schedule.has_value();
  info.parameters.output_path = directory.parent_path().native();
  const std::string level = torch.profiler_level;
  info.parameters.profiler_level = level == "Level_none" ? "LevelNone" : level;
  info.parameters.aic_metrics = metrics_of(torch.aic_metrics);
  info.parameters.with_stack = program.framework.with_stack;
  info.parameters.profile_memory = program.framework.profile_memory;
  info.parameters.data_process = data_process;
  info.parameters.l2_cache = collection.l2_cache;
  info.parameters.sys_io = collection.sys_io;
  info.parameters.sys_interconnection = collection.sys_interconnection;
  info.parameters.host_sys = collection.host_sys.names();
  info.parameters.data_simplification = program.data_simplification;
  info.parameters.record_shapes = program.framework.record_shapes;
  info.parameters.mstx = collection.mstx;
  info.parameters.mstx_domain_include.emplace();
  info.parameters.mstx_domain_exclude.emplace();
  info.parameters.schedule = program.schedule;
  info.rank_id = program.rank.value_or(0);
  info.device_id = program.rank.value_or(0) % 8;
  info.ms_version = "2.10.0";
  info.cann_version = program.cann_version;
  info.jit_level = "";
  info.simulated = true;
  NPUPROF_RETURN_IF_ERROR(write_file(
      directory / format::framework::profiler_info_file_name(info.rank_id), to_json(info)));
  if (program.groups.empty()) return ok_status();
  format::framework::ProfilerMetadata metadata;
  metadata.parallel_groups = program.groups;
  return write_file(directory / format::framework::kProfilerMetadataFile, to_json(metadata));
}

std::string ascend_ms_name(std::string_view worker, std::uint64_t process_id,
                           std::int64_t wall_us) {
  std::string name = ascend_pt_name(worker, process_id, wall_us);
  name.resize(name.size() - format::framework::kRunSuffix.size());
  return name.append(ms::kRunSuffix);
}

void write_mindspore_counts(const MindSporeCounts& counts, JsonWriter& json) {
  json.key("mindspore_records").begin_object();
  json.member("ranges", counts.ranges).member("steps", counts.steps);
  json.member("launches", counts.launches).member("flows", counts.flows);
  json.member("frames", counts.frames).member("datasets", counts.datasets);
  json.member("memory", counts.memory).member("shapes", counts.shapes).end_object();
}

}  // namespace npuprof::sim
