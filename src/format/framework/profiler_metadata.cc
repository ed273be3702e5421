#include "format/framework/profiler_metadata.h"

#include <utility>

#include "format/framework/json_object.h"

namespace npuprof::format::framework {
namespace {

using internal::Json;
using internal::ObjectReader;
using internal::put_extra;

constexpr const char* kEnvironmentKey = "ENV_VARIABLES";
constexpr const char* kParallelGroupKey = "parallel_group_info";
constexpr const char* kTraceIdKey = "trace_id";

std::vector<ProfilerMetadata::Variable> read_environment(const Json& object) {
  std::vector<ProfilerMetadata::Variable> variables;
  for (const auto& item : object.items()) {
    const Json& value = item.value();
    variables.push_back({item.key(), value.is_string() ? value.get<std::string>()
                                                       : internal::to_one_line_text(value)});
  }
  return variables;
}

std::vector<ProfilerMetadata::ParallelGroup> read_parallel_groups(const Json& object) {
  std::vector<ProfilerMetadata::ParallelGroup> groups;
  for (const auto& item : object.items()) {
    if (!item.value().is_object()) continue;
    ProfilerMetadata::ParallelGroup group;
    group.communication_domain = item.key();
    ObjectReader reader(item.value());
    reader.take("group_name", group.group_name);
    reader.take("group_rank", group.group_rank);
    reader.take("global_ranks", group.global_ranks);
    group.extra = reader.rest();
    groups.push_back(std::move(group));
  }
  return groups;
}

Json write_parallel_group(const ProfilerMetadata::ParallelGroup& group) {
  Json object = Json::object();
  object["group_name"] = group.group_name;
  object["group_rank"] = group.group_rank;
  object["global_ranks"] = group.global_ranks;
  put_extra(object, group.extra);
  return object;
}

}  // namespace

Result<ProfilerMetadata> parse_profiler_metadata(std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(Json root, internal::parse_object(text, kProfilerMetadataFile));
  ProfilerMetadata metadata;
  ObjectReader reader(std::move(root));
  if (const auto object = reader.take_object(kEnvironmentKey)) {
    metadata.environment = read_environment(*object);
  }
  if (const auto object = reader.take_object(kParallelGroupKey)) {
    metadata.parallel_groups = read_parallel_groups(*object);
  }
  reader.take(kTraceIdKey, metadata.trace_id);
  metadata.user = reader.rest();
  metadata.layout = JsonLayout::of(text);
  return metadata;
}

std::string to_json(const ProfilerMetadata& metadata) {
  Json root = Json::object();
  put_extra(root, metadata.user);
  if (metadata.environment) {
    Json& object = root[kEnvironmentKey] = Json::object();
    for (const auto& variable : *metadata.environment) object[variable.name] = variable.value;
  }
  if (metadata.parallel_groups) {
    Json& object = root[kParallelGroupKey] = Json::object();
    for (const auto& group : *metadata.parallel_groups) {
      object[group.communication_domain] = write_parallel_group(group);
    }
  }
  if (metadata.trace_id) root[kTraceIdKey] = *metadata.trace_id;
  return metadata.layout.apply(internal::to_one_line_text(root), "{}");
}

}  // namespace npuprof::format::framework
