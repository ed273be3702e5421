#include <string>
#include <vector>

#include "base/json_writer.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/pipeline_chart.h"
#include "serve/read_profiles.h"
#include "serve/requests.h"
#include "serve/subject.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostPasses = 200'000;  // In one reply.

void write_pipelines(JsonWriter& json, const ReadProfiles& read,
                     const std::vector<Pipeline>& pipelines) {
  json.key("pipelines").begin_array();
  for (const Pipeline& pipeline : pipelines) {
    json.begin_object().member("key", pipeline.key).key("profiles").begin_array();
    for (const std::size_t profile : pipeline.profiles) json.value(read.numbers[profile]);
    json.end_array().end_object();
  }
  json.end_array();
}

// `begin` and `end` count from the zero of the profile, `at` from the begin of the chart.
void write_span(JsonWriter& json, const LaneIndex& lanes, const PipelineChart& chart,
                const ChartRow& row, std::int64_t start_ns, std::int64_t end_ns) {
  json.member("begin", lanes.from_zero(start_ns)).member("end", lanes.from_zero(end_ns));
  json.member("at", start_ns + row.offset_ns - chart.begin_ns);
}

void write_row(JsonWriter& json, const ReadProfiles& read, const PipelineChart& chart,
               const ChartRow& row, std::size_t& room) {
  const ShownProfile& profile = *read.profiles[row.profile];
  json.begin_object().member("p", read.numbers[row.profile]);
  json.member("device", row.device).member("stage", row.stage);
  json.member("offset", row.offset_ns).member("compared", row.compared);
  for (std::size_t kind = 0; kind < analyze::kPassKinds; ++kind) {
    json.member(analyze::pass_kind_name(static_cast<analyze::PassKind>(kind)), row.pass_ns[kind]);
  }
  json.member("transfer", row.transfer_ns).member("rest", row.rest_ns);
  json.key("passes").begin_array();
  for (const analyze::PipelinePass& pass : row.passes) {
    if (room == 0) break;
    --room;
    json.begin_object().member("kind", analyze::pass_kind_name(pass.kind));
    json.member("number", pass.number).member("computing", pass.computing_ns);
    write_span(json, profile.lanes, chart, row, pass.start_ns, pass.end_ns);
    json.end_object();
  }
  json.end_array().key("transfers").begin_array();
  const auto& ops = profile.trace().collective_ops();
  for (const std::uint32_t transfer : row.transfers) {
    if (room == 0) break;
    --room;
    json.begin_object().member("name", profile.trace().strings.view(ops.name[transfer]));
    write_span(json, profile.lanes, chart, row, ops.start_ns[transfer], ops.end_ns[transfer]);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_messages(JsonWriter& json, const PipelineChart& chart) {
  json.key("messages").begin_array();
  for (const ChartMessage& message : chart.messages) {
    json.begin_object().member("from", message.from).member("to", message.to);
    json.member("sent", message.sent_ns - chart.begin_ns);
    json.member("received", message.received_ns - chart.begin_ns);
    json.member("bytes", message.bytes).end_object();
  }
  json.end_array().member("unmatched", chart.unmatched);
}

void write_chart(JsonWriter& json, const ReadProfiles& read, const PipelineChart& chart) {
  json.member("step", chart.step).key("steps").begin_array();
  for (const std::int64_t step : chart.steps) json.value(step);
  json.end_array();
  json.member("are_marked", chart.are_marked).member("length", chart.end_ns - chart.begin_ns);
  json.member("bubble", chart.bubble_share).member("least", chart.least_share);
  std::size_t room = kMostPasses;
  json.key("rows").begin_array();
  for (const ChartRow& row : chart.rows) write_row(json, read, chart, row, room);
  json.end_array().member("is_cut", room == 0);
  write_messages(json, chart);
}

}  // namespace

// The chart of one pipeline, of those that the ranks make up.
Result<HttpReply> ask_cluster_pipeline(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const ReadProfiles read, read_profiles(request));
  NPUPROF_ASSIGN_OR_RETURN(const auto step, request.parameters.number("step", kAnyStep));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t chosen,
                           request.parameters.number_or("pipeline", kAnyId, 0));
  std::vector<PipelineSource> sources;
  for (const auto& profile : read.profiles) {
    sources.push_back({&profile->trace(), &profile->pipeline()});
  }
  const std::vector<Pipeline> pipelines = find_pipelines(sources);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_progress(json, read);
  write_pipelines(json, read, pipelines);
  const auto place = static_cast<std::size_t>(chosen);
  json.member("pipeline", place < pipelines.size() ? place : 0);
  if (!pipelines.empty()) {
    const Pipeline& pipeline = pipelines[place < pipelines.size() ? place : 0];
    write_chart(json, read, pipeline_chart(sources, pipeline, step));
  }
  json.end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
