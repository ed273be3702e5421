#include <algorithm>

#include "base/json_writer.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/lane_search.h"
#include "serve/requests.h"
#include "serve/slice_family.h"
#include "serve/slice_json.h"
#include "serve/subject.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostListedNames = 500;
constexpr std::int64_t kPixelsOfPart = 4;
constexpr std::int64_t kMostHitRows = 5000;

Result<std::shared_ptr<const LaneSearch>> search_of(const Request& request,
                                                    const ShownProfile& profile) {
  SearchQuery query;
  NPUPROF_ASSIGN_OR_RETURN(query.text, request.parameters.text("q"));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t with_case,
                           request.parameters.number_or("case", {0, 1}, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t is_word,
                           request.parameters.number_or("word", {0, 1}, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t is_regular,
                           request.parameters.number_or("regex", {0, 1}, 0));
  query.with_case = with_case != 0;
  query.is_word = is_word != 0;
  query.is_regular = is_regular != 0;
  NPUPROF_ASSIGN_OR_RETURN(query.spans, step_spans_parameter(request, profile, "begin", "end"));
  return profile.searches.find(profile.lanes, query);
}

void write_map(JsonWriter& json, const LaneIndex& index, const LaneSearch& search, Span span,
               std::size_t parts) {
  json.key("map").begin_array();
  for (std::uint32_t lane = 0; lane < index.lanes().size(); ++lane) {
    const std::vector<std::uint32_t> map = search.map_of(lane, span, parts);
    if (std::all_of(map.begin(), map.end(), [](std::uint32_t count) { return count == 0; })) {
      continue;
    }
    json.begin_object().member("lane", lane).key("buckets").begin_array();
    for (const std::uint32_t count : map) json.value(count);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_names(JsonWriter& json, const LaneIndex& index, const LaneSearch& search) {
  std::vector<std::uint32_t> names = search.names();
  std::erase_if(names, [&](std::uint32_t name) { return search.count_of(name) == 0; });
  std::stable_sort(names.begin(), names.end(), [&](std::uint32_t a, std::uint32_t b) {
    return search.count_of(a) > search.count_of(b);
  });
  if (names.size() > kMostListedNames) names.resize(kMostListedNames);
  json.key("names").begin_array();
  for (const std::uint32_t name : names) {
    json.begin_object().member("name_id", name).member("name", index.name(name));
    json.member("category", palette_key(index.palette_of(name)));
    json.member("count", search.count_of(name)).end_object();
  }
  json.end_array();
}

}  // namespace

Result<HttpReply> ask_search(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const Span span, span_parameter(request.parameters, index));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t pixels,
                           request.parameters.number_or("px", {1, kMostPixels}, 1000));
  NPUPROF_ASSIGN_OR_RETURN(const auto search, search_of(request, *profile));
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("count", search->count());
  json.member("distinct", search->names().size());
  const auto parts = static_cast<std::size_t>(std::max<std::int64_t>(1, pixels / kPixelsOfPart));
  json.member("parts", parts);
  write_map(json, index, *search, span, parts);
  write_names(json, index, *search);
  json.end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_hit(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const auto search, search_of(request, *profile));
  NPUPROF_ASSIGN_OR_RETURN(const auto number, request.parameters.number("k", {0, kAnyTime.most}));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t after,
                           request.parameters.number_or("after", kAnyTime, kAnyTime.least));
  const std::uint64_t wanted =
      number ? static_cast<std::uint64_t>(*number) : search->count_before(after);
  const auto hit = search->hit(wanted);
  if (!hit) return Error{ErrorCode::kNotFound, "there are not so many hits"};
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_slice(profile->lanes, *hit, json);
  json.member("k", wanted).member("count", search->count()).end_object();
  return json_reply(std::move(text));
}

// In order of time.
Result<HttpReply> ask_hits(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const auto search, search_of(request, *profile));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from,
                           request.parameters.number_or("from", {0, kAnyTime.most}, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t rows,
                           request.parameters.number_or("rows", {1, kMostHitRows}, 200));
  const LaneIndex& index = profile->lanes;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("total_rows", search->count()).member("from", from);
  json.key("rows").begin_array();
  for (const SliceId hit :
       search->hits(static_cast<std::uint64_t>(from), static_cast<std::size_t>(rows))) {
    const report::Lane& lane = index.lanes()[hit.lane];
    json.begin_object();
    write_slice(index, hit, json);
    json.member("self", self_ns(lane, lane.row_of(hit.slice), hit.slice));
    json.member("lane_name", profile->words.lane(lane));
    json.member("group", profile->words.layer(index.groups()[lane.group]));
    json.end_object();
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
