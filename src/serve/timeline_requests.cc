#include <limits>

#include "base/json_writer.h"
#include "report/timeline/cann_layers.h"
#include "serve/error_reply.h"
#include "serve/lane_doubts.h"
#include "serve/lane_parameters.h"
#include "serve/requests.h"
#include "serve/slice_reply.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostNames = 20'000;  // In one reply.

void write_group(JsonWriter& json, const DeviceWords& words, std::uint32_t number,
                 const report::LaneGroup& group) {
  json.begin_object().member("id", number).member("name", words.layer(group));
  json.member("label", words.label(group)).member("sort", group.sort_index);
  json.member("is_host", group.is_host);
  if (!group.is_host) json.member("device", group.device);
  json.key("lanes").begin_array();
}

void write_lane(JsonWriter& json, const ShownProfile& profile, std::uint32_t number,
                const report::Lane& lane) {
  const LaneIndex& index = profile.lanes;
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (std::size_t row = 0; row < lane.rows(); ++row) {
    begin = std::min(begin, lane.start_ns[lane.row_begin[row]]);
    end = std::max(end, lane.end_ns(lane.row_begin[row + 1] - 1));
  }
  json.begin_object()
      .member("id", number)
      .member("name", profile.words.lane(lane))
      .member("kind", index.is_idle_lane(lane) ? "idle" : "slices");
  json.member("rows", lane.rows()).member("count", lane.size());
  json.member("begin", index.from_zero(begin)).member("end", index.from_zero(end));
  json.member("category", palette_key(index.palette_of(lane.name_number.front())));
  const std::string_view doubt =
      doubt_of_layer(index.groups()[lane.group].name, lane.is_python, profile.opened.losses);
  const bool is_shifted = index.groups()[lane.group].name == report::kCannLayer.name ||
                          !index.groups()[lane.group].is_host;
  const std::string guess = is_shifted ? guessed_clock(profile.opened.losses) : "";
  if (!doubt.empty() || !guess.empty()) json.member("hatched", doubt.empty() ? guess : doubt);
  if (const auto idle = index.idle_lane_of(lane)) json.member("idle_lane", *idle);
  json.end_object();
}

void write_counter(JsonWriter& json, const LaneIndex& index, std::uint32_t number,
                   const report::CounterLane& counter) {
  json.begin_object().member("id", number).member("name", counter.name);
  json.member("kind", "counter").member("rows", 1).member("count", counter.time_ns.size());
  if (!counter.time_ns.empty()) {
    json.member("begin", index.from_zero(counter.time_ns.front()));
    json.member("end", index.from_zero(counter.time_ns.back()));
  }
  json.key("series").begin_array();
  for (const std::string& series : counter.series) json.value(series);
  json.end_array();
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double value : counter.values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  json.member("min", least).member("max", most).end_object();
}

}  // namespace

Result<HttpReply> ask_lanes(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("groups").begin_array();
  for (std::uint32_t group = 0; group < index.groups().size(); ++group) {
    write_group(json, profile->words, group, index.groups()[group]);
    for (std::uint32_t i = 0; i < index.size(); ++i) {
      const report::Lane* lane = index.lane(i);
      if (lane != nullptr && lane->group == group) write_lane(json, *profile, i, *lane);
      const report::CounterLane* counter = index.counter(i);
      if (counter != nullptr && counter->group == group) write_counter(json, index, i, *counter);
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_slices(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const Span span, span_parameter(request.parameters, profile->lanes));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t pixels,
                           request.parameters.number_or("px", {1, kMostPixels}, 1000));
  NPUPROF_ASSIGN_OR_RETURN(const auto lanes, request.parameters.ids("lanes"));
  const Window window{.span = span, .pixels = static_cast<std::uint32_t>(pixels)};
  return HttpReply{.type = "application/octet-stream",
                   .body = slices_reply(profile->lanes, window, lanes)};
}

Result<HttpReply> ask_names(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from,
                           request.parameters.number_or("from", kAnyId, 0));
  const std::size_t end =
      std::min(profile->lanes.name_count(), static_cast<std::size_t>(from) + kMostNames);
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("from", from).member("total", profile->lanes.name_count());
  json.key("names").begin_array();
  for (auto i = static_cast<std::uint32_t>(from); i < end; ++i) {
    json.begin_object().member("name", profile->lanes.name(i));
    json.member("category", palette_key(profile->lanes.palette_of(i))).end_object();
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
