#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "analyze/kernel_groups.h"
#include "base/json_writer.h"
#include "report/timeline/cann_layers.h"
#include "serve/error_reply.h"
#include "serve/histogram.h"
#include "serve/lane_parameters.h"
#include "serve/requests.h"
#include "serve/slice_json.h"
#include "serve/subject.h"
#include "trace/linked/kernels.h"

namespace npuprof::serve {
namespace {

// Names of kernels of one type, as statistics call it, on the device.
std::vector<std::uint32_t> names_of_type(const ShownProfile& profile, std::string_view type) {
  const trace::Trace& trace = profile.trace();
  const trace::Kernels& kernels = trace.kernels();
  std::set<std::string_view> texts;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (trace.strings.view(kernels.op_type[i]) == type) {
      texts.insert(trace.strings.view(kernels.name[i]));
    }
  }
  const report::LaneTimeline& timeline = profile.lanes.timeline();
  std::vector<std::uint32_t> names;
  for (std::uint32_t i = 0; i < profile.lanes.name_count(); ++i) {
    const bool is_of_device =
        timeline.origin_of(timeline.names()[i]).layer == report::kHardwareLayer.name;
    if (is_of_device && texts.contains(profile.lanes.name(i))) names.push_back(i);
  }
  return names;
}

// By its number, or by its text: then the first name that has it and the most slices.
Result<std::uint32_t> name_parameter(const Parameters& parameters, const LaneIndex& index) {
  NPUPROF_ASSIGN_OR_RETURN(const auto number, parameters.number("name_id", kAnyId));
  if (number && static_cast<std::size_t>(*number) < index.name_count()) {
    return static_cast<std::uint32_t>(*number);
  }
  NPUPROF_ASSIGN_OR_RETURN(const std::string text, parameters.text("name"));
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < index.name_count(); ++i) {
    if (index.name(i) != text) continue;
    if (!best || index.count_of_name(i) > index.count_of_name(*best)) best = i;
  }
  if (!best) return Error{ErrorCode::kNotFound, "no slice has this name"};
  return *best;
}

// The slices of the durations that `from` and `to` say, where these are given: how many there are,
// and the longest ones.
Status write_chosen(const Parameters& parameters, const LaneIndex& index,
                    const HistogramQuery& query, JsonWriter& json) {
  constexpr std::size_t kMostChosen = 1000;
  if (!parameters.has("from") && !parameters.has("to")) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from, parameters.number_or("from", kAnyTime, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t to,
                           parameters.number_or("to", kAnyTime, kAnyTime.most));
  const std::vector<SliceId> slices = slices_of_duration(index, query, from, to);
  json.member("chosen", slices.size()).key("slices").begin_array();
  for (std::size_t i = 0; i < std::min(slices.size(), kMostChosen); ++i) {
    write_slice_object(index, slices[i], json);
  }
  json.end_array();
  return ok_status();
}

}  // namespace

Result<HttpReply> ask_histogram(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const std::string type, request.parameters.text("type"));
  std::vector<std::uint32_t> names = names_of_type(*profile, type);
  if (type.empty()) {
    NPUPROF_ASSIGN_OR_RETURN(const std::uint32_t name, name_parameter(request.parameters, index));
    names = {name};
  } else if (names.empty()) {
    return Error{ErrorCode::kNotFound, "no kernel has this type"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const auto lane, request.parameters.number("lane", kAnyId));
  NPUPROF_ASSIGN_OR_RETURN(const StepSpans spans, step_spans_parameter(request, *profile));
  const HistogramQuery query{
      .names = std::move(names),
      .lane = lane ? std::optional(static_cast<std::uint32_t>(*lane)) : std::nullopt,
      .spans = spans};
  const DurationHistogram histogram = duration_histogram(index, query);
  const analyze::DurationSummary& summary = histogram.summary;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("type", type).member("names", query.names.size());
  const std::uint32_t first = query.names.front();
  json.member("name_id", first).member("name", index.name(first));
  json.member("count", summary.count).member("total", summary.total_ns);
  json.member("mean", summary.mean_ns()).member("min", summary.min_ns);
  json.member("median", summary.median_ns).member("p90", summary.p90_ns);
  json.member("p99", summary.p99_ns).member("max", summary.max_ns);
  json.member("deviation", summary.deviation_ns);
  json.member("has_outlier", summary.count > 0 && analyze::has_outlier(summary));
  json.key("bins").begin_array();
  for (const HistogramBin& bin : histogram.bins) {
    json.begin_object().member("from", bin.from_ns).member("to", bin.to_ns);
    json.member("count", bin.count).end_object();
  }
  json.end_array().key("longest").begin_array();
  for (const SliceId slice : histogram.longest) write_slice_object(index, slice, json);
  json.end_array();
  NPUPROF_RETURN_IF_ERROR(write_chosen(request.parameters, index, query, json));
  json.end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
