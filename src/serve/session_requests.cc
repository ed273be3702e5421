#include <filesystem>
#include <limits>
#include <string>

#include "answers/mode.h"
#include "base/json_writer.h"
#include "serve/error_reply.h"
#include "serve/palette.h"
#include "serve/requests.h"
#include "trace/framework/steps.h"

namespace npuprof::serve {
namespace {

void write_modes(JsonWriter& json) {
  json.key("modes").begin_array();
  for (const answers::Mode* mode : answers::all_modes()) {
    json.begin_object().member("name", mode->name).member("question", mode->question);
    json.member("explains", mode->explains).member("needs", mode->needs);
    json.member("collect", mode->collect).key("options").begin_array();
    for (const answers::ModeOption& option : mode->options) {
      json.begin_object().member("name", option.name).member("help", option.help).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

// The colour of each cause, on the timeline and in tables.
void write_idle_causes(JsonWriter& json) {
  json.key("idle_causes").begin_array();
  for (std::size_t i = 0; i < analyze::kIdleCauseCount; ++i) {
    const auto cause = static_cast<analyze::IdleCause>(i);
    json.begin_object().member("name", analyze::idle_cause_name(cause));
    json.member("category", palette_key(palette_of_cause(cause))).end_object();
  }
  json.end_array();
}

std::string profile_label(const query::ProfileFacts& facts) {
  if (facts.rank >= 0) return "Rank " + std::to_string(facts.rank);
  return std::filesystem::path(facts.path).filename();
}

void write_state(JsonWriter& json, const ProfileStore::Status& status) {
  json.member("state", profile_state_name(status.state));
  if (!status.error.empty()) json.member("error", status.error);
}

void write_steps(JsonWriter& json, const ShownProfile& profile) {
  const trace::Steps& steps = profile.trace().steps();
  json.key("steps").begin_array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    json.begin_object().member("number", steps.id[i]);
    json.member("begin", profile.lanes.from_zero(steps.host_start_ns[i]));
    json.member("end", profile.lanes.from_zero(steps.device_end_ns[i]));
    json.member("host_end", profile.lanes.from_zero(steps.host_end_ns[i]));
    json.member("device_begin", profile.lanes.from_zero(steps.device_start_ns[i]));
    json.end_object();
  }
  json.end_array();
}

void write_ready(JsonWriter& json, const ShownProfile& profile) {
  const trace::Session& session = profile.trace().session;
  json.member("zero_ns", std::to_string(profile.lanes.zero_ns()));
  json.member("begin", profile.lanes.span().begin_ns);
  json.member("end", profile.lanes.span().end_ns);
  json.member("device_kind", profile.words.device());
  json.member("simulated", session.simulated).member("rank", session.rank);
  json.member("host", session.host_name).member("cann_version", session.cann_version);
  write_steps(json, profile);
  json.key("devices").begin_array();
  for (const trace::DeviceInfo& device : profile.trace().devices) json.value(device.id);
  json.end_array().key("losses").begin_array();
  for (const std::string& loss : profile.opened.losses) {
    json.begin_object().member("text", loss).end_object();
  }
  json.end_array().key("notes").begin_array().end_array();
}

}  // namespace

Result<HttpReply> ask_session(const Request& request) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("version", request.served.session.version);
  json.member("title", request.served.session.title);
  json.key("profiles").begin_array();
  const auto& profiles = request.served.store.profiles();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    json.begin_object().member("id", i).member("rank", profiles[i].rank);
    json.member("label", profile_label(profiles[i]));
    write_state(json, request.served.store.status(i));
    json.end_object();
  }
  json.end_array();
  write_modes(json);
  write_idle_causes(json);
  json.end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_profile(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(
      const std::int64_t number,
      request.parameters.number_or("p", {0, std::numeric_limits<std::int32_t>::max()}, 0));
  const auto id = static_cast<std::size_t>(number);
  const auto profile = request.served.store.get(id);
  if (!profile.ok() && id >= request.served.store.profiles().size()) return profile.error();
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("id", id);
  const ProfileStore::Status status = request.served.store.status(id);
  write_state(json, status);
  if (status.state == ProfileState::kLoading) {
    json.key("progress").begin_object().member("what", status.stage).key("share").null();
    json.end_object();
  }
  if (profile.ok() && *profile != nullptr) write_ready(json, **profile);
  json.end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
