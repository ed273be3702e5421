#include "format/mindspore/profiler_info.h"

#include <algorithm>
#include <utility>

#include "format/framework/json_object.h"
#include "format/framework/profiler_parts.h"
#include "format/mindspore/record_clock.h"

namespace npuprof::format::mindspore {
namespace {

using framework::internal::Json;
using framework::internal::ObjectReader;
using framework::internal::put_extra;

using Parameters = ProfilerInfo::Parameters;

template <typename T>
void put_if_known(Json& object, const char* key, const std::optional<T>& member) {
  if (member) object[key] = *member;
}

Parameters read_parameters(Json object) {
  Parameters parameters;
  ObjectReader reader(std::move(object));
  reader.take("is_set_schedule", parameters.is_set_schedule);
  reader.take("output_path", parameters.output_path);
  parameters.profiler_level.clear();  // Not told is not the default.
  reader.take("profiler_level", parameters.profiler_level);
  reader.take("activities", parameters.activities);
  reader.take("aic_metrics", parameters.aic_metrics);
  reader.take("with_stack", parameters.with_stack);
  reader.take("profile_memory", parameters.profile_memory);
  reader.take("data_process", parameters.data_process);
  reader.take("parallel_strategy", parameters.parallel_strategy);
  reader.take("start_profile", parameters.start_profile);
  reader.take("l2_cache", parameters.l2_cache);
  reader.take("hbm_ddr", parameters.hbm_ddr);
  reader.take("pcie", parameters.pcie);
  reader.take("sys_io", parameters.sys_io);
  reader.take("sys_interconnection", parameters.sys_interconnection);
  reader.take("host_sys", parameters.host_sys);
  reader.take("sync_enable", parameters.sync_enable);
  reader.take("data_simplification", parameters.data_simplification);
  reader.take("record_shapes", parameters.record_shapes);
  reader.take("export_type", parameters.export_type);
  reader.take("mstx", parameters.mstx);
  reader.take("mstx_domain_include", parameters.mstx_domain_include);
  reader.take("mstx_domain_exclude", parameters.mstx_domain_exclude);
  if (auto schedule = reader.take_object("schedule")) {
    parameters.schedule = framework::internal::read_schedule(std::move(*schedule));
  }
  reader.take_null("schedule");
  parameters.extra = reader.rest();
  return parameters;
}

Json write_parameters(const Parameters& parameters) {
  Json object = Json::object();
  object["is_set_schedule"] = parameters.is_set_schedule;
  object["output_path"] = parameters.output_path;
  object["profiler_level"] = parameters.profiler_level;
  object["activities"] = parameters.activities;
  object["aic_metrics"] = parameters.aic_metrics;
  object["with_stack"] = parameters.with_stack;
  object["profile_memory"] = parameters.profile_memory;
  object["data_process"] = parameters.data_process;
  object["parallel_strategy"] = parameters.parallel_strategy;
  object["start_profile"] = parameters.start_profile;
  object["l2_cache"] = parameters.l2_cache;
  object["hbm_ddr"] = parameters.hbm_ddr;
  object["pcie"] = parameters.pcie;
  put_if_known(object, "sys_io", parameters.sys_io);
  put_if_known(object, "sys_interconnection", parameters.sys_interconnection);
  put_if_known(object, "host_sys", parameters.host_sys);
  object["sync_enable"] = parameters.sync_enable;
  object["data_simplification"] = parameters.data_simplification;
  put_if_known(object, "record_shapes", parameters.record_shapes);
  object["export_type"] = parameters.export_type;
  object["mstx"] = parameters.mstx;
  put_if_known(object, "mstx_domain_include", parameters.mstx_domain_include);
  put_if_known(object, "mstx_domain_exclude", parameters.mstx_domain_exclude);
  object["schedule"] = framework::internal::write_schedule(parameters.schedule);
  put_extra(object, parameters.extra);
  return object;
}

ProfilerInfo::TickClock read_clock(Json object) {
  ProfilerInfo::TickClock clock;
  ObjectReader reader(std::move(object));
  reader.take("frequency_mhz", clock.frequency_mhz);
  reader.take("ticks", clock.ticks);
  reader.take("wall_ns", clock.wall_ns);
  return clock;
}

// A number that stands as text, as MindSpore writes it.
void put_as_text(Json& object, const char* key, const std::optional<std::int64_t>& number) {
  if (number) object[key] = std::to_string(*number);
}

Json write_mindspore_info(const ProfilerInfo& info) {
  Json root = Json::object();
  root["profiler_parameters"] = write_parameters(info.parameters);
  root["ms_profiler_info"] = Json::object();
  put_as_text(root["ms_profiler_info"], "rank_id", info.rank_id);
  put_as_text(root["ms_profiler_info"], "device_id", info.device_id);
  root["cann_profiler_info"] = Json::object();
  root["analysis_cost_time"] = Json::object();
  put_if_known(root, "ms_version", info.ms_version);
  put_if_known(root, "cann_version", info.cann_version);
  put_if_known(root, "jit_level", info.jit_level);
  if (info.simulated) root["simulated"] = true;
  if (info.clock) {
    Json& clock = root["npuprof_clock"];
    clock["frequency_mhz"] = framework::internal::number_value(info.clock->frequency_mhz);
    clock["ticks"] = info.clock->ticks;
    clock["wall_ns"] = info.clock->wall_ns;
  }
  if (info.recorder) {
    root["npuprof_recorder"] = framework::internal::write_recorder(*info.recorder);
  }
  for (const auto& key : info.extra) root.erase(key.name);
  put_extra(root, info.extra);
  return root;
}

}  // namespace

bool ProfilerInfo::Parameters::has_activity(std::string_view name) const {
  return std::find(activities.begin(), activities.end(), name) != activities.end();
}

Result<ProfilerInfo> parse_profiler_info(std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(Json root, framework::internal::parse_object(text, "profiler_info"));
  ProfilerInfo info;
  ObjectReader reader(std::move(root));
  if (auto parameters = reader.take_object("profiler_parameters")) {
    info.parameters = read_parameters(std::move(*parameters));
  }
  if (auto ids = reader.take_object("ms_profiler_info")) {
    ObjectReader ids_reader(std::move(*ids));
    ids_reader.take("rank_id", info.rank_id);
    ids_reader.take("device_id", info.device_id);
  }
  reader.take("ms_version", info.ms_version);
  reader.take("cann_version", info.cann_version);
  reader.take("jit_level", info.jit_level);
  reader.take("simulated", info.simulated);
  if (auto clock = reader.take_object("npuprof_clock")) info.clock = read_clock(std::move(*clock));
  if (auto recorder = reader.take_object("npuprof_recorder")) {
    info.recorder = framework::internal::read_recorder(std::move(*recorder));
  }
  // The two that MindSpore always leaves empty are kept if they are not.
  for (const char* const key : {"cann_profiler_info", "analysis_cost_time"}) {
    const Json* const value = reader.find(key);
    if (value != nullptr && value->is_object() && value->empty()) reader.erase(key);
  }
  info.extra = reader.rest();
  info.layout = JsonLayout::of(text);
  return info;
}

std::string to_json(const ProfilerInfo& info) {
  return info.layout.apply(framework::internal::to_indented_text(write_mindspore_info(info)),
                           framework::internal::to_one_line_text(write_mindspore_info({})));
}

framework::Clock op_range_clock(const framework::ClockSources& sources, const ProfilerInfo& info) {
  if (!tells_wall_time(sources) && info.clock) {
    return {true, info.clock->frequency_mhz, info.clock->ticks, info.clock->wall_ns, 0};
  }
  return op_range_clock(sources);
}

}  // namespace npuprof::format::mindspore
