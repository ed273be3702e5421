#include <algorithm>
#include <memory>
#include <vector>

#include "analyze/communication.h"
#include "base/json_writer.h"
#include "report/timeline/cann_layers.h"
#include "serve/collective_alignment.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/requests.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostCollectives = 20'000;  // In one reply.

// Profiles that have been read; all others begin to be.
struct ReadProfiles {
  std::vector<std::size_t> numbers;
  std::vector<std::shared_ptr<const ShownProfile>> profiles;
  std::size_t pending = 0;
  std::size_t failed = 0;
};

// Those that `ranks` names, or all.
Result<ReadProfiles> read_profiles(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto chosen, request.parameters.ids("ranks"));
  ReadProfiles read;
  for (std::size_t i = 0; i < request.served.store.profiles().size(); ++i) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) continue;
    const auto profile = request.served.store.get(i);
    if (!profile.ok()) {
      ++read.failed;
    } else if (*profile == nullptr) {
      ++read.pending;
    } else {
      read.numbers.push_back(i);
      read.profiles.push_back(*profile);
    }
  }
  return read;
}

void write_progress(JsonWriter& json, const ReadProfiles& read) {
  json.member("pending", read.pending).member("failed", read.failed);
}

void write_rank_steps(JsonWriter& json, std::size_t number, const ShownProfile& profile) {
  for (const analyze::StepTime& step : profile.request().results.steps()) {
    json.begin_object().member("p", number).member("rank", profile.trace().session.rank);
    json.member("device", step.device).member("step", step.step);
    json.member("computing", step.computing_ns).member("communication", step.communication_ns);
    json.member("overlapped", step.overlapped_ns()).member("uncovered", step.not_overlapped_ns);
    json.member("free", step.free_ns).member("preparing", step.preparing_ns);
    json.member("bubble", step.bubble_ns).member("stage", step.stage_ns);
    json.member("total",
                step.computing_ns + step.not_overlapped_ns + step.free_ns + step.preparing_ns);
    json.end_object();
  }
}

void write_links(JsonWriter& json, std::size_t number, const ShownProfile& profile) {
  for (const analyze::LinkTraffic& link :
       analyze::total_links(profile.request().results.communication())) {
    json.begin_object().member("p", number).member("from", link.source_rank);
    json.member("to", link.destination_rank).member("transport", link.transport);
    json.member("size_mb", link.size_mb).member("time_ms", link.time_ms);
    json.member("gb_s", link.bandwidth_gb_s).end_object();
  }
}

void write_collective(JsonWriter& json, const ReadProfiles& read,
                      const AlignedCollective& collective) {
  json.begin_object().member("group", collective.group).member("type", collective.type);
  json.member("number", collective.number).key("ranks").begin_array();
  for (const CollectiveAt& at : collective.ranks) {
    const ShownProfile& profile = *read.profiles[at.profile];
    json.begin_object().member("p", read.numbers[at.profile]);
    json.member("name",
                profile.trace().strings.view(profile.trace().collective_ops().name[at.row]));
    json.member("begin", profile.lanes.from_zero(at.start_ns));
    json.member("end", profile.lanes.from_zero(at.end_ns));
    const auto slice = profile.lanes.find_slice(report::kCommunicationLayer.name, trace::kNone,
                                                at.start_ns, at.end_ns);
    if (slice) json.member("lane", slice->lane).member("event", slice->slice);
    json.end_object();
  }
  json.end_array().end_object();
}

// `zero_ns` of each profile is its own: offsets are of wall clocks.
void write_clocks(JsonWriter& json, const ReadProfiles& read, const CollectiveAlignment& aligned) {
  json.key("clocks").begin_array();
  for (std::size_t i = 0; i < aligned.clocks.size(); ++i) {
    const ClockOffset& clock = aligned.clocks[i];
    json.begin_object().member("p", read.numbers[i]);
    json.member("rank", read.profiles[i]->trace().session.rank);
    json.member("zero_ns", std::to_string(read.profiles[i]->lanes.zero_ns()));
    json.member("offset", clock.offset_ns).member("error", clock.error_ns);
    json.member("collectives", clock.collectives).end_object();
  }
  json.end_array();
}

}  // namespace

Result<HttpReply> ask_cluster_steps(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const ReadProfiles read, read_profiles(request));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_progress(json, read);
  json.key("rows").begin_array();
  for (std::size_t i = 0; i < read.profiles.size(); ++i) {
    write_rank_steps(json, read.numbers[i], *read.profiles[i]);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_cluster_links(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const ReadProfiles read, read_profiles(request));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_progress(json, read);
  json.key("links").begin_array();
  for (std::size_t i = 0; i < read.profiles.size(); ++i) {
    write_links(json, read.numbers[i], *read.profiles[i]);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_cluster_collectives(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const ReadProfiles read, read_profiles(request));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from,
                           request.parameters.number_or("from", kAnyId, 0));
  std::vector<const trace::Trace*> traces;
  for (const auto& profile : read.profiles) traces.push_back(&profile->trace());
  const CollectiveAlignment aligned = align_collectives(traces);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_progress(json, read);
  write_clocks(json, read, aligned);
  json.member("total", aligned.collectives.size()).key("collectives").begin_array();
  const std::size_t end =
      std::min(aligned.collectives.size(), static_cast<std::size_t>(from) + kMostCollectives);
  for (auto i = static_cast<std::size_t>(from); i < end; ++i) {
    write_collective(json, read, aligned.collectives[i]);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
