#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/json_writer.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/lane_statistics.h"
#include "serve/requests.h"
#include "serve/slice_family.h"
#include "serve/slice_json.h"
#include "serve/subject.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostNameRows = 5000;
constexpr std::int64_t kMostEventRows = 5000;
constexpr std::size_t kMostArrows = 4000;

void write_sums(JsonWriter& json, const LaneIndex& index, const SliceSums& sums) {
  json.member("count", sums.count).member("sum", sums.sum_ns).member("union", sums.union_ns);
  json.member("self", sums.self_ns);
  if (sums.count == 0) return;
  json.member("mean", static_cast<double>(sums.sum_ns) / static_cast<double>(sums.count));
  json.member("min", sums.min_ns).member("max", sums.max_ns).key("longest").begin_object();
  json.member("lane", sums.longest.lane).member("event", sums.longest.slice);
  json.member("begin",
              index.from_zero(index.lanes()[sums.longest.lane].start_ns[sums.longest.slice]));
  json.end_object();
}

void write_counters(JsonWriter& json, const LaneIndex& index,
                    const std::vector<CounterSums>& counters) {
  json.key("counters").begin_array();
  for (const CounterSums& sums : counters) {
    json.begin_object().member("lane", sums.lane);
    json.member("series", index.counter(sums.lane)->series[sums.series]);
    json.member("min", sums.min).member("max", sums.max).member("mean", sums.mean).end_object();
  }
  json.end_array();
}

Result<EventOrder> event_order(const Parameters& parameters) {
  static constexpr std::pair<std::string_view, EventOrder> kOrders[] = {
      {"", EventOrder::kStart},    {"start", EventOrder::kStart},
      {"name", EventOrder::kName}, {"duration", EventOrder::kDuration},
      {"row", EventOrder::kRow},   {"self", EventOrder::kSelf}};
  NPUPROF_ASSIGN_OR_RETURN(const std::string wanted, parameters.text("sort"));
  for (const auto& [name, order] : kOrders) {
    if (name == wanted) return order;
  }
  return Error{ErrorCode::kInvalidArgument,
               "parameter 'sort' has to be start, duration, self, name or row"};
}

Result<EventQuery> event_query(const Request& request, const ShownProfile& profile) {
  const Parameters& parameters = request.parameters;
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t lane, parameters.needed_number("lane", kAnyId));
  EventQuery query{.lane = static_cast<std::uint32_t>(lane)};
  if (profile.lanes.lane(query.lane) == nullptr) {
    return Error{ErrorCode::kNotFound, "there is no such lane of slices"};
  }
  NPUPROF_ASSIGN_OR_RETURN(query.order, event_order(parameters));
  // Times are looked at from the longest down.
  const bool is_time = query.order == EventOrder::kDuration || query.order == EventOrder::kSelf;
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t falls,
                           parameters.number_or("desc", {0, 1}, is_time ? 1 : 0));
  query.falls = falls != 0;
  NPUPROF_ASSIGN_OR_RETURN(const auto name, parameters.number("name", kAnyId));
  if (name) query.name = static_cast<std::uint32_t>(*name);
  NPUPROF_ASSIGN_OR_RETURN(query.find, parameters.text("find"));
  NPUPROF_ASSIGN_OR_RETURN(query.spans, step_spans_parameter(request, profile));
  return query;
}

// Arrows of which the ends cannot be told apart on the screen are shown once.
class ThinnedArrows {
 public:
  ThinnedArrows(const LaneIndex& index, Span span, std::int64_t pixels)
      : index_(index),
        begin_ns_(span.begin_ns),
        pixel_ns_(std::max<std::int64_t>(1, (span.end_ns - span.begin_ns) / pixels)) {}

  void add(const report::LaneArrow& arrow) {
    ++count_;
    const SliceId from = index_.slice_of_number(arrow.from);
    const SliceId to = index_.slice_of_number(arrow.to);
    if (shown_.size() >= kMostArrows) return;
    if (seen_.emplace(from.lane, pixel_of(from), to.lane, pixel_of(to)).second) {
      shown_.push_back(arrow);
    }
  }

  std::uint64_t count() const { return count_; }
  const std::vector<report::LaneArrow>& shown() const { return shown_; }

 private:
  std::int64_t pixel_of(SliceId id) const {
    return (index_.from_zero(index_.lanes()[id.lane].start_ns[id.slice]) - begin_ns_) / pixel_ns_;
  }

  const LaneIndex& index_;
  std::int64_t begin_ns_;
  std::int64_t pixel_ns_;
  std::uint64_t count_ = 0;
  std::vector<report::LaneArrow> shown_;
  std::set<std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::int64_t>> seen_;
};

void write_end(JsonWriter& json, const char* key, const LaneIndex& index, std::uint32_t number) {
  const SliceId id = index.slice_of_number(number);
  const report::Lane& lane = index.lanes()[id.lane];
  json.key(key).begin_object().member("lane", id.lane).member("event", id.slice);
  json.member("row", lane.row_of(id.slice));
  json.member("begin", index.from_zero(lane.start_ns[id.slice])).end_object();
}

}  // namespace

Result<HttpReply> ask_range(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const Span span, span_parameter(request.parameters, index));
  NPUPROF_ASSIGN_OR_RETURN(const auto lanes, lanes_parameter(request.parameters, index));
  const RangeStatistics statistics = range_statistics(index, span, lanes);
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("begin", span.begin_ns).member("end", span.end_ns);
  json.member("slices", statistics.all.count);
  write_sums(json, index, statistics.all);
  json.member("names", statistics.by_name.size()).key("by_name").begin_array();
  const std::size_t shown = std::min(statistics.by_name.size(), kMostNameRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const NameSums& row = statistics.by_name[i];
    json.begin_object().member("name_id", row.name).member("name", index.name(row.name));
    json.member("category", palette_key(index.palette_of(row.name)));
    write_sums(json, index, row.sums);
    json.end_object();
  }
  json.end_array().key("by_category").begin_array();
  for (const CategorySums& row : statistics.by_category) {
    json.begin_object().member("category", palette_key(row.category));
    write_sums(json, index, row.sums);
    json.end_object();
  }
  json.end_array();
  write_counters(json, index, statistics.counters);
  json.end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_events(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const EventQuery query, event_query(request, *profile));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from,
                           request.parameters.number_or("from", kAnyId, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t rows,
                           request.parameters.number_or("rows", {1, kMostEventRows}, 200));
  const auto events = profile->events.find(index, query);
  const auto first = std::min<std::size_t>(static_cast<std::size_t>(from), events->size());
  const auto last = std::min<std::size_t>(first + static_cast<std::size_t>(rows), events->size());
  const report::Lane& lane = index.lanes()[query.lane];
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("total_rows", events->size()).member("from", first);
  json.key("rows").begin_array();
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t slice = (*events)[i];
    json.begin_object();
    write_slice(index, {query.lane, slice}, json);
    json.member("self", self_ns(lane, lane.row_of(slice), slice)).end_object();
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_flows(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const Span span, span_parameter(request.parameters, index));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t pixels,
                           request.parameters.number_or("px", {1, kMostPixels}, 1000));
  NPUPROF_ASSIGN_OR_RETURN(const std::string kinds, request.parameters.text("kinds"));
  const std::string wanted = "," + kinds + ",";
  ThinnedArrows arrows(index, span, pixels);
  index.arrows().for_each_between(
      span.begin_ns + index.zero_ns(), span.end_ns + index.zero_ns(),
      [&](const report::LaneArrow& arrow) {
        const std::string kind(report::arrow_style(arrow.kind).category);
        if (kinds.empty() || wanted.find("," + kind + ",") != std::string::npos) arrows.add(arrow);
      });
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("count", arrows.count()).key("flows").begin_array();
  for (const report::LaneArrow& arrow : arrows.shown()) {
    json.begin_object().member("kind", report::arrow_style(arrow.kind).category);
    write_end(json, "from", index, arrow.from);
    write_end(json, "to", index, arrow.to);
    json.end_object();
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
