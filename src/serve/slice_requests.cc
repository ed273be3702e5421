#include <algorithm>
#include <optional>
#include <variant>

#include "analyze/task_operators.h"
#include "base/json_writer.h"
#include "format/results/timeline_names.h"
#include "serve/culprit.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/requests.h"
#include "serve/slice_family.h"
#include "serve/slice_json.h"
#include "serve/slice_path.h"
#include "trace/linked/kernels.h"

namespace npuprof::serve {
namespace {

void write_lines(JsonWriter& json, const std::vector<std::string>& lines) {
  json.begin_array();
  for (const std::string& line : lines) json.value(line);
  json.end_array();
}

// Texts of several lines are arguments with `lines`, but for the call stack.
void write_arguments(JsonWriter& json, const report::SliceDetails& details) {
  json.key("arguments").begin_array();
  for (const report::SliceArgument& argument : details.arguments) {
    json.begin_object().member("key", argument.key);
    std::visit([&](const auto& value) { json.member("value", value); }, argument.value);
    json.end_object();
  }
  const std::vector<std::string>* stack = nullptr;
  for (const auto& [key, lines] : details.lines) {
    if (key == format::results::argument::kStack) {
      stack = &lines;
      continue;
    }
    json.begin_object().member("key", key).key("lines");
    write_lines(json, lines);
    json.end_object();
  }
  json.end_array();
  if (stack != nullptr) {
    json.key("stack");
    write_lines(json, *stack);
  }
}

void write_flow(JsonWriter& json, const LaneIndex& index, const report::LaneArrow& arrow,
                bool is_out) {
  json.begin_object().member("kind", report::arrow_style(arrow.kind).category);
  json.member("direction", is_out ? "out" : "in");
  write_slice(index, index.slice_of_number(is_out ? arrow.to : arrow.from), json);
  json.end_object();
}

void write_flows(JsonWriter& json, const LaneIndex& index, SliceId id) {
  const std::uint32_t number = index.number_of(id);
  json.key("flows").begin_array();
  index.arrows().for_each_to(
      number, [&](const report::LaneArrow& arrow) { write_flow(json, index, arrow, false); });
  for (const report::LaneArrow& arrow : index.arrows().from(number)) {
    write_flow(json, index, arrow, true);
  }
  json.end_array();
}

void write_neighbours(JsonWriter& json, const LaneIndex& index, SliceId id, std::uint32_t row) {
  const report::Lane& lane = index.lanes()[id.lane];
  const auto object = [&](const char* key, std::optional<std::uint32_t> slice) {
    json.key(key);
    write_slice_object(index, slice ? std::optional(SliceId{id.lane, *slice}) : std::nullopt, json);
  };
  object("parent", parent_of(lane, row, id.slice));
  object("previous", id.slice > lane.row_begin[row] ? std::optional(id.slice - 1) : std::nullopt);
  object("next",
         id.slice + 1 < lane.row_begin[row + 1] ? std::optional(id.slice + 1) : std::nullopt);
}

// Slices of one name in a lane, by start.
std::shared_ptr<const std::vector<std::uint32_t>> slices_named(const ShownProfile& profile,
                                                               std::uint32_t lane,
                                                               std::uint32_t name) {
  return profile.events.find(profile.lanes, {.lane = lane, .name = name});
}

// The lane of the same name in a layer of the same name.
std::optional<std::uint32_t> same_lane(const LaneIndex& index, std::string_view layer,
                                       std::string_view lane) {
  for (std::uint32_t i = 0; i < index.lanes().size(); ++i) {
    if (index.lanes()[i].name == lane && index.groups()[index.lanes()[i].group].name == layer) {
      return i;
    }
  }
  return std::nullopt;
}

// The slice with the same name and number among those of its name in its lane, on other ranks that
// have been read.
void write_same_on_other_ranks(JsonWriter& json, const Request& request,
                               const ShownProfile& profile, SliceId id) {
  const LaneIndex& own = profile.lanes;
  const report::Lane& lane = own.lanes()[id.lane];
  const std::uint32_t name = lane.name_number[id.slice];
  const auto named = slices_named(profile, id.lane, name);
  const auto place = std::find(named->begin(), named->end(), id.slice) - named->begin();
  json.key("same_on_other_ranks").begin_array();
  for (std::size_t p = 0; p < request.served.store.profiles().size(); ++p) {
    const auto other = p == profile.number ? nullptr : request.served.store.if_ready(p);
    if (other == nullptr) continue;
    const auto number = same_lane(other->lanes, own.groups()[lane.group].name, lane.name);
    if (!number) continue;
    const auto other_name = other->lanes.find_name(own.timeline(), name);
    if (!other_name) continue;
    const auto slices = slices_named(*other, *number, *other_name);
    if (static_cast<std::size_t>(place) >= slices->size()) continue;
    json.begin_object().member("p", p).member("rank", other->trace().session.rank);
    write_slice(other->lanes, {*number, (*slices)[static_cast<std::size_t>(place)]}, json);
    json.end_object();
  }
  json.end_array();
}

// What is known of a kernel beside its lane: as arguments.
void write_kernel(JsonWriter& json, const trace::Trace& trace, std::uint32_t kernel) {
  const trace::Kernels& kernels = trace.kernels();
  json.key("kernel").begin_array();
  const auto fact = [&](const char* name, StringId text) {
    if (text == kEmptyString) return;
    json.begin_object().member("key", name).member("value", trace.strings.view(text)).end_object();
  };
  fact("Type", kernels.op_type[kernel]);
  fact("Core", kernels.task_type[kernel]);
  fact("Input shapes", kernels.input_shapes[kernel]);
  fact("Input types", kernels.input_dtypes[kernel]);
  fact("Input formats", kernels.input_formats[kernel]);
  fact("Output shapes", kernels.output_shapes[kernel]);
  fact("Output types", kernels.output_dtypes[kernel]);
  fact("Output formats", kernels.output_formats[kernel]);
  json.end_array();
}

void write_slices(JsonWriter& json, const char* key, const LaneIndex& index,
                  const std::vector<SliceId>& slices) {
  json.key(key).begin_array();
  for (const SliceId slice : slices) write_slice_object(index, slice, json);
  json.end_array();
}

void write_path(JsonWriter& json, const ShownProfile& profile, SliceId id) {
  const SlicePath path = path_of_slice(profile, id);
  if (path.empty()) return;
  const LaneIndex& index = profile.lanes;
  if (path.kernel != trace::kNone) write_kernel(json, profile.trace(), path.kernel);
  json.key("path").begin_object().member("module", path.module);
  write_slices(json, "frames", index, path.frames);
  json.key("operator");
  write_slice_object(index, path.op, json);
  write_slices(json, "kernels", index, path.kernels);
  json.member("kernel_count", path.kernel_count).member("kernel_ns", path.kernel_ns);
  const std::int64_t busy_ns =
      path.kernel_count > 0 ? path.kernel_ns : index.lanes()[id.lane].duration(id.slice);
  const auto number = [&](const char* key, double value) {
    json.key(key);
    if (value > 0) {
      json.value(value);
    } else {
      json.null();
    }
  };
  number("mfu", busy_ns > 0 ? path.ideal_ns / static_cast<double>(busy_ns) : 0);
  number("flops", path.flops);
  json.end_object();
}

void write_cause(JsonWriter& json, const ShownProfile& profile, const analyze::IdleRow& row) {
  json.key("cause").begin_object().member("name", analyze::idle_cause_name(row.cause));
  json.member("of_host", analyze::is_of_host(row.cause));
  json.member("detail", profile.trace().strings.view(row.detail));
  json.member("evidence", analyze::idle_evidence_name(row.evidence));
  json.key("culprit");
  write_slice_object(profile.lanes, culprit_of(profile.trace(), profile.lanes, row), json);
  json.key("task");
  write_slice_object(profile.lanes, task_slice(profile.trace(), profile.lanes, row.task), json);
  json.end_object();
}

}  // namespace

Result<HttpReply> ask_slice(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const SliceId id, slice_parameter(request.parameters, index));
  const report::Lane& lane = index.lanes()[id.lane];
  const std::uint32_t row = lane.row_of(id.slice);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_slice(index, id, json);
  json.member("self", self_ns(lane, row, id.slice));
  if (index.marks().is_unfinished(id.lane, id.slice)) json.member("unfinished", true);
  if (index.marks().is_doubtful(id.lane, id.slice)) json.member("doubtful", true);
  json.member("begin_wall_ns", std::to_string(lane.start_ns[id.slice]));
  json.member("count_of_name", index.count_of_name(lane.name_number[id.slice]));
  json.member("children", [&] {
    const SliceRange children = children_of(lane, row, id.slice);
    return children.last - children.first;
  }());
  write_arguments(json, index.timeline().describe(lane, id.slice));
  write_path(json, *profile, id);
  write_flows(json, index, id);
  write_neighbours(json, index, id, row);
  if (request.served.store.profiles().size() > 1) {
    write_same_on_other_ranks(json, request, *profile, id);
  }
  if (const analyze::IdleRow* cause = index.idle_row(id)) write_cause(json, *profile, *cause);
  json.end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_at(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t number,
                           request.parameters.needed_number("lane", kAnyId));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t row, request.parameters.number_or("row", kAnyId, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t time,
                           request.parameters.needed_number("t", kAnyTime));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t tolerance,
                           request.parameters.number_or("within", {0, kAnyTime.most}, 0));
  const LaneIndex& index = profile->lanes;
  const report::Lane* lane = index.lane(static_cast<std::uint32_t>(number));
  if (lane == nullptr) return Error{ErrorCode::kNotFound, "there is no such lane of slices"};
  const auto slice = index.slice_at(*lane, static_cast<std::uint32_t>(row), time, tolerance);
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("slice");
  write_slice_object(
      index,
      slice ? std::optional(SliceId{static_cast<std::uint32_t>(number), *slice}) : std::nullopt,
      json);
  json.end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
