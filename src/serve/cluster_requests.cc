#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/communication.h"
#include "analyze/group_names.h"
#include "base/json_writer.h"
#include "report/timeline/cann_layers.h"
#include "serve/collective_alignment.h"
#include "serve/error_reply.h"
#include "serve/heat_scale.h"
#include "serve/lane_parameters.h"
#include "serve/parallel_place.h"
#include "serve/read_profiles.h"
#include "serve/requests.h"
#include "serve/subject.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostCollectives = 20'000;  // In one reply.

using analyze::StepTime;

std::int64_t wall_time(const StepTime& step) {
  return step.computing_ns + step.not_overlapped_ns + step.free_ns + step.preparing_ns;
}

// What ranks are compared by.
struct StepMetric {
  const char* name;
  std::int64_t (*value)(const StepTime& step);
};
constexpr StepMetric kStepMetrics[] = {
    {"computing", [](const StepTime& step) { return step.computing_ns; }},
    {"communication", [](const StepTime& step) { return step.communication_ns; }},
    {"overlapped", [](const StepTime& step) { return step.overlapped_ns(); }},
    {"uncovered", [](const StepTime& step) { return step.not_overlapped_ns; }},
    {"free", [](const StepTime& step) { return step.free_ns; }},
    {"preparing", [](const StepTime& step) { return step.preparing_ns; }},
    {"bubble", [](const StepTime& step) { return step.bubble_ns; }},
    {"stage", [](const StepTime& step) { return step.stage_ns; }},
    {"total", wall_time},
};

void write_rank_steps(JsonWriter& json, std::size_t number, const ShownProfile& profile) {
  for (const StepTime& step : profile.request().results.steps()) {
    json.begin_object().member("p", number).member("rank", profile.trace().session.rank);
    json.member("device", step.device).member("step", step.step);
    for (const StepMetric& metric : kStepMetrics) json.member(metric.name, metric.value(step));
    json.end_object();
  }
}

// By metric, what is usual and what is noise.
void write_step_scales(JsonWriter& json, const ReadProfiles& read) {
  constexpr double kUnimportantShareOfStep = 0.01;
  const auto rows_of = [&](const StepMetric& metric) {
    std::vector<std::vector<double>> rows;
    for (const auto& profile : read.profiles) {
      std::vector<double>& row = rows.emplace_back();
      for (const StepTime& step : profile->request().results.steps()) {
        row.push_back(static_cast<double>(metric.value(step)));
      }
    }
    return rows;
  };
  const HeatScale total = heat_scale(rows_of({"total", wall_time}), 0);
  json.key("scales").begin_object();
  for (const StepMetric& metric : kStepMetrics) {
    const HeatScale scale = heat_scale(rows_of(metric), kUnimportantShareOfStep * total.usual);
    json.key(metric.name).begin_object().member("low", scale.low).member("high", scale.high);
    json.member("usual", scale.usual).member("noise", scale.noise).end_object();
  }
  json.end_object();
}

// Links of the ranks by communication group. Ranks of a link are counted within the group where
// the profile does not tell which ranks of the job they are.
class GroupedLinks {
 public:
  explicit GroupedLinks(JsonWriter& links) : links_(links) {}

  void add(std::size_t number, const ShownProfile& profile, std::optional<std::int64_t> step) {
    const auto facts = analyze::group_facts(profile.trace());
    for (const analyze::GroupLinks& group :
         analyze::links_by_group(ops_of(profile.request().results, step))) {
      const auto known = facts.find(group.group);
      const analyze::GroupFacts own = known == facts.end() ? analyze::GroupFacts{} : known->second;
      const std::string id = add_group(std::string(group.group), own);
      for (const analyze::LinkTraffic& link : group.links) write(number, id, own, link);
    }
  }

  void write_groups(JsonWriter& json) const {
    json.key("groups").begin_array();
    for (const auto& [id, facts] : groups_) {
      json.begin_object().member("id", id).member("name", facts.name.empty() ? id : facts.name);
      json.member("is_global", !facts.global_ranks.empty()).end_object();
    }
    json.end_array();
  }

 private:
  using Ops = std::vector<const analyze::CommunicationOp*>;

  static Ops ops_of(const analyze::SharedResults& results, std::optional<std::int64_t> step) {
    Ops ops;
    if (!step) {
      for (const analyze::CommunicationOp& op : results.communication()) ops.push_back(&op);
      return ops;
    }
    const std::string name = "step" + std::to_string(*step);
    for (const analyze::CommunicationStep& one : results.communication_steps()) {
      if (one.name != name) continue;
      ops.insert(ops.end(), one.collective.begin(), one.collective.end());
      ops.insert(ops.end(), one.p2p.begin(), one.p2p.end());
    }
    return ops;
  }

  // Groups of one name are one matrix where their ranks are those of the job.
  std::string add_group(std::string number, const analyze::GroupFacts& facts) {
    std::string id = facts.global_ranks.empty() ? std::move(number) : facts.name;
    groups_.try_emplace(id, facts);
    return id;
  }

  void write(std::size_t number, const std::string& id, const analyze::GroupFacts& facts,
             const analyze::LinkTraffic& link) {
    const auto rank_of = [&](std::uint32_t rank) {
      return rank < facts.global_ranks.size() ? facts.global_ranks[rank] : std::int64_t{rank};
    };
    links_.begin_object().member("p", number).member("group", id);
    links_.member("from", rank_of(link.source_rank)).member("to", rank_of(link.destination_rank));
    links_.member("transport", link.transport).member("size_mb", link.size_mb);
    links_.member("time_ms", link.time_ms).member("gb_s", link.bandwidth_gb_s).end_object();
  }

  JsonWriter& links_;
  std::map<std::string, analyze::GroupFacts> groups_;
};

// `begin` and `end` count from the zero of their profile, `at` from the first rank that comes.
void write_collective(JsonWriter& json, const ReadProfiles& read,
                      const CollectiveAlignment& aligned, std::size_t place) {
  const AlignedCollective& collective = aligned.collectives[place];
  const Arrivals arrivals = arrivals_of(collective, aligned.clocks);
  json.begin_object().member("id", place).member("group", collective.group);
  json.member("type", collective.type).member("number", collective.number);
  json.member("spread", arrivals.spread_ns).member("last", arrivals.last);
  json.key("ranks").begin_array();
  for (std::size_t i = 0; i < collective.ranks.size(); ++i) {
    const CollectiveAt& at = collective.ranks[i];
    const ShownProfile& profile = *read.profiles[at.profile];
    json.begin_object().member("p", read.numbers[at.profile]);
    json.member("rank", profile.trace().session.rank);
    json.member("name",
                profile.trace().strings.view(profile.trace().collective_ops().name[at.row]));
    json.member("begin", profile.lanes.from_zero(at.start_ns));
    json.member("end", profile.lanes.from_zero(at.end_ns));
    json.member("at", arrivals.after_ns[i]).member("length", at.end_ns - at.start_ns);
    const auto slice = profile.lanes.find_slice(report::kCommunicationLayer.name, trace::kNone,
                                                at.start_ns, at.end_ns);
    if (slice) json.member("lane", slice->lane).member("event", slice->slice);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_latecomers(JsonWriter& json, const ReadProfiles& read,
                      const CollectiveAlignment& aligned) {
  json.key("latecomers").begin_array();
  for (const Latecomer& one : latecomers(aligned)) {
    json.begin_object().member("p", read.numbers[one.profile]);
    json.member("rank", read.profiles[one.profile]->trace().session.rank);
    json.member("times", one.times).member("waited", one.waited_ns).key("longest");
    write_collective(json, read, aligned, one.longest);
    json.end_object();
  }
  json.end_array();
}

// Leaves those that the first of their ranks began in a step.
void keep_step(CollectiveAlignment& aligned, const ReadProfiles& read, std::int64_t step) {
  std::vector<std::optional<StepSpans>> spans;
  for (const auto& profile : read.profiles) {
    spans.push_back(step_spans(profile->trace(), profile->lanes, step));
  }
  std::erase_if(aligned.collectives, [&](const AlignedCollective& one) {
    const CollectiveAt& first = one.ranks.front();
    const auto& span = spans[first.profile];
    return !span ||
           !span->device.contains(read.profiles[first.profile]->lanes.from_zero(first.start_ns));
  });
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
  json.end_array();
  write_step_scales(json, read);
  json.end_object();
  return json_reply(std::move(text));
}

// The mean step of each rank that has been read; reads none.
Result<HttpReply> ask_cluster_ranks(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto wanted, request.parameters.number("step", kAnyStep));
  std::size_t unread = 0;
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("ranks").begin_array();
  for (std::size_t i = 0; i < request.served.store.profiles().size(); ++i) {
    const auto profile = request.served.store.if_ready(i);
    if (profile == nullptr) {
      ++unread;
      continue;
    }
    std::vector<const StepTime*> steps;
    for (const StepTime& step : profile->request().results.steps()) {
      if (!wanted || step.step == *wanted) steps.push_back(&step);
    }
    if (steps.empty()) continue;
    json.begin_object().member("p", i).member("rank", profile->trace().session.rank);
    json.member("steps", steps.size());
    if (const auto place = parallel_place(profile->trace())) {
      json.key("place").begin_object().member("tp", place->tensor).member("cp", place->context);
      json.member("dp", place->data).member("pp", place->pipeline).end_object();
    }
    for (const StepMetric& metric : kStepMetrics) {
      std::int64_t sum_ns = 0;
      for (const StepTime* step : steps) sum_ns += metric.value(*step);
      json.member(metric.name, sum_ns / static_cast<std::int64_t>(steps.size()));
    }
    json.end_object();
  }
  json.end_array().member("unread", unread).end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_cluster_links(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const ReadProfiles read, read_profiles(request));
  NPUPROF_ASSIGN_OR_RETURN(const auto step, request.parameters.number("step", kAnyStep));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_progress(json, read);
  GroupedLinks links(json);
  json.key("links").begin_array();
  for (std::size_t i = 0; i < read.profiles.size(); ++i) {
    links.add(read.numbers[i], *read.profiles[i], step);
  }
  json.end_array();
  links.write_groups(json);
  json.end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_cluster_collectives(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const ReadProfiles read, read_profiles(request));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from,
                           request.parameters.number_or("from", kAnyId, 0));
  NPUPROF_ASSIGN_OR_RETURN(const auto step, request.parameters.number("step", kAnyStep));
  std::vector<const trace::Trace*> traces;
  for (const auto& profile : read.profiles) traces.push_back(&profile->trace());
  // Clocks follow from all collectives, also those of other steps.
  CollectiveAlignment aligned = align_collectives(traces);
  if (step) keep_step(aligned, read, *step);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_progress(json, read);
  write_clocks(json, read, aligned);
  write_latecomers(json, read, aligned);
  json.member("total", aligned.collectives.size()).key("collectives").begin_array();
  const std::size_t end =
      std::min(aligned.collectives.size(), static_cast<std::size_t>(from) + kMostCollectives);
  for (auto i = static_cast<std::size_t>(from); i < end; ++i) {
    write_collective(json, read, aligned, i);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
