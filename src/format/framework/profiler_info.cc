#include "format/framework/profiler_info.h"

#include <algorithm>
#include <utility>

#include "format/framework/file_names.h"
#include "format/framework/json_object.h"
#include "format/framework/profiler_parts.h"

namespace npuprof::format::framework {
namespace {

using internal::Json;
using internal::number_value;
using internal::ObjectReader;
using internal::put_extra;
using internal::read_recorder;
using internal::read_schedule;
using internal::write_recorder;
using internal::write_schedule;

constexpr std::string_view kFileNameStem = "profiler_info";
constexpr std::string_view kFileNameSuffix = ".json";

ProfilerInfo::CommonConfig read_common(Json object) {
  ProfilerInfo::CommonConfig common;
  ObjectReader reader(std::move(object));
  reader.take("activities", common.activities);
  if (auto schedule = reader.take_object("schedule")) {
    common.schedule = read_schedule(std::move(*schedule));
  }
  reader.take_null("schedule");
  reader.take("record_shapes", common.record_shapes);
  reader.take("profile_memory", common.profile_memory);
  reader.take("with_stack", common.with_stack);
  reader.take("with_flops", common.with_flops);
  reader.take("with_modules", common.with_modules);
  common.extra = reader.rest();
  return common;
}

Json write_common(const ProfilerInfo::CommonConfig& common) {
  Json object = Json::object();
  object["activities"] = common.activities;
  object["schedule"] = write_schedule(common.schedule);
  object["record_shapes"] = common.record_shapes;
  object["profile_memory"] = common.profile_memory;
  object["with_stack"] = common.with_stack;
  object["with_flops"] = common.with_flops;
  object["with_modules"] = common.with_modules;
  put_extra(object, common.extra);
  return object;
}

ProfilerInfo::ExperimentalConfig read_experimental(Json object) {
  ProfilerInfo::ExperimentalConfig config;
  ObjectReader reader(std::move(object));
  reader.take("_profiler_level", config.profiler_level);
  reader.take("_aic_metrics", config.aic_metrics);
  reader.take("_l2_cache", config.l2_cache);
  reader.take("_msprof_tx", config.msprof_tx);
  reader.take("_mstx", config.mstx);
  reader.take("_data_simplification", config.data_simplification);
  reader.take("record_op_args", config.record_op_args);
  if (const Json* type = reader.find("_export_type"); type != nullptr && type->is_string()) {
    config.export_type_is_list = false;
    config.export_type = {type->get<std::string>()};
    reader.erase("_export_type");
  }
  reader.take("_export_type", config.export_type);
  reader.take("_host_sys", config.host_sys);
  reader.take("_op_attr", config.op_attr);
  reader.take("_gc_detect_threshold", config.gc_detect_threshold_ms);
  reader.take_null("_gc_detect_threshold");
  reader.take("_mstx_domain_include", config.mstx_domain_include);
  reader.take("_mstx_domain_exclude", config.mstx_domain_exclude);
  reader.take("_sys_io", config.sys_io);
  reader.take("_sys_interconnection", config.sys_interconnection);
  config.extra = reader.rest();
  return config;
}

template <typename T>
void put_optional(Json& object, const char* key, const std::optional<T>& member) {
  if (member) object[key] = *member;
}

Json write_experimental(const ProfilerInfo::ExperimentalConfig& config) {
  Json object = Json::object();
  object["_profiler_level"] = config.profiler_level;
  object["_aic_metrics"] = config.aic_metrics;
  object["_l2_cache"] = config.l2_cache;
  object["_msprof_tx"] = config.msprof_tx;
  put_optional(object, "_mstx", config.mstx);
  object["_data_simplification"] = config.data_simplification;
  object["record_op_args"] = config.record_op_args;
  if (config.export_type_is_list || config.export_type.size() != 1) {
    object["_export_type"] = config.export_type;
  } else {
    object["_export_type"] = config.export_type.front();
  }
  put_optional(object, "_host_sys", config.host_sys);
  object["_op_attr"] = config.op_attr;
  object["_gc_detect_threshold"] = nullptr;
  if (config.gc_detect_threshold_ms) {
    object["_gc_detect_threshold"] = number_value(*config.gc_detect_threshold_ms);
  }
  put_optional(object, "_mstx_domain_include", config.mstx_domain_include);
  put_optional(object, "_mstx_domain_exclude", config.mstx_domain_exclude);
  put_optional(object, "_sys_io", config.sys_io);
  put_optional(object, "_sys_interconnection", config.sys_interconnection);
  put_extra(object, config.extra);
  return object;
}

ProfilerInfo::StartInfo read_start(Json object) {
  ProfilerInfo::StartInfo start;
  ObjectReader reader(std::move(object));
  reader.take("syscnt_enable", start.syscnt_enable);
  reader.take("freq", start.freq_mhz);
  reader.take("start_cnt", start.start_cnt);
  reader.take("start_monotonic", start.start_monotonic_ns);
  start.extra = reader.rest();
  return start;
}

Json write_start(const ProfilerInfo::StartInfo& start) {
  Json object = Json::object();
  object["syscnt_enable"] = start.syscnt_enable;
  object["freq"] = number_value(start.freq_mhz);
  object["start_cnt"] = start.start_cnt;
  object["start_monotonic"] = start.start_monotonic_ns;
  put_extra(object, start.extra);
  return object;
}

ProfilerInfo::EndInfo read_end(Json object) {
  ProfilerInfo::EndInfo end;
  ObjectReader reader(std::move(object));
  reader.take("collectionTimeEnd", end.collection_time_end_ns);
  reader.take("MonotonicTimeEnd", end.monotonic_time_end_ns);
  end.extra = reader.rest();
  return end;
}

Json write_end(const ProfilerInfo::EndInfo& end) {
  Json object = Json::object();
  object["collectionTimeEnd"] = end.collection_time_end_ns;
  object["MonotonicTimeEnd"] = end.monotonic_time_end_ns;
  put_extra(object, end.extra);
  return object;
}

Json write_info(const ProfilerInfo& info) {
  Json root = Json::object();
  root["config"]["common_config"] = write_common(info.common);
  root["config"]["experimental_config"] = write_experimental(info.experimental);
  put_extra(root["config"], info.config_extra);
  root["start_info"] = write_start(info.start);
  root["end_info"] = write_end(info.end);
  put_optional(root, "torch_npu_version", info.torch_npu_version);
  put_optional(root, "cann_version", info.cann_version);
  if (info.rank_id && info.rank_id_is_text) {
    root["rank_id"] = std::to_string(*info.rank_id);
  } else {
    put_optional(root, "rank_id", info.rank_id);
  }
  if (info.simulated) root["simulated"] = true;
  if (info.recorder) root["npuprof_recorder"] = write_recorder(*info.recorder);
  put_extra(root, info.extra);
  return root;
}

}  // namespace

Result<ProfilerInfo> parse_profiler_info(std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(Json root, internal::parse_object(text, "profiler_info"));
  ProfilerInfo info;
  ObjectReader reader(std::move(root));
  if (auto config = reader.take_object("config")) {
    ObjectReader config_reader(std::move(*config));
    if (auto common = config_reader.take_object("common_config")) {
      info.common = read_common(std::move(*common));
    }
    if (auto experimental = config_reader.take_object("experimental_config")) {
      info.experimental = read_experimental(std::move(*experimental));
    }
    info.config_extra = config_reader.rest();
  }
  if (auto start = reader.take_object("start_info")) info.start = read_start(std::move(*start));
  if (auto end = reader.take_object("end_info")) info.end = read_end(std::move(*end));
  reader.take("torch_npu_version", info.torch_npu_version);
  reader.take("cann_version", info.cann_version);
  const Json* rank = reader.find("rank_id");
  const bool rank_is_text = rank != nullptr && rank->is_string();
  reader.take("rank_id", info.rank_id);
  info.rank_id_is_text = rank_is_text && info.rank_id;
  reader.take("simulated", info.simulated);
  if (auto recorder = reader.take_object("npuprof_recorder")) {
    info.recorder = read_recorder(std::move(*recorder));
  }
  info.extra = reader.rest();
  info.layout = JsonLayout::of(text);
  return info;
}

std::string to_json(const ProfilerInfo& info) {
  return info.layout.apply(internal::to_indented_text(write_info(info)),
                           internal::to_one_line_text(write_info({})));
}

Result<ProfilerInfo::Recorder> parse_recorder(std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(Json object, internal::parse_object(text, kRecorderStateFile));
  return read_recorder(std::move(object));
}

std::string to_json(const ProfilerInfo::Recorder& recorder) {
  return internal::to_one_line_text(write_recorder(recorder));
}

std::string profiler_info_file_name(std::optional<std::int64_t> rank) {
  std::string name(kFileNameStem);
  if (rank) name.append("_").append(std::to_string(*rank));
  name += kFileNameSuffix;
  return name;
}

bool is_profiler_info_file_name(std::string_view name) {
  if (!name.starts_with(kFileNameStem) || !name.ends_with(kFileNameSuffix)) return false;
  name.remove_prefix(kFileNameStem.size());
  if (name.size() < kFileNameSuffix.size()) return false;
  name.remove_suffix(kFileNameSuffix.size());
  if (name.empty()) return true;
  return name.size() > 1 && name[0] == '_' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

ClockSources clock_sources(const ProfilerInfo& info) {
  ClockSources sources;
  sources.counter_enabled = info.start.syscnt_enable;
  sources.start_frequency_mhz = info.start.freq_mhz;
  sources.start_count = info.start.start_cnt;
  sources.start_monotonic_ns = info.start.start_monotonic_ns;
  sources.collection_time_end_ns = info.end.collection_time_end_ns;
  sources.monotonic_time_end_ns = info.end.monotonic_time_end_ns;
  return sources;
}

}  // namespace npuprof::format::framework
