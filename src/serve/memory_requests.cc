#include <algorithm>
#include <limits>

#include "analyze/task_operators.h"
#include "base/json_writer.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/requests.h"
#include "serve/slice_json.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostBlocks = 5000;
constexpr NumberRange kAnyDevice{-1, 255};

void write_curve(JsonWriter& json, const LaneIndex& index, const MemoryCurve& curve, Span span,
                 std::int64_t pixels) {
  json.begin_object().member("component", curve.component).member("value", curve.value);
  json.member("device", curve.device).member("peak", curve.peak_bytes());
  json.member("peak_at", index.from_zero(curve.peak_at_ns())).key("points").begin_array();
  for (const CurvePoint& point :
       curve_points(curve, span.begin_ns + index.zero_ns(), span.end_ns + index.zero_ns(),
                    static_cast<std::size_t>(pixels))) {
    json.begin_array().value(index.from_zero(point.time_ns)).value(point.min).value(point.max);
    json.value(point.last).end_array();
  }
  json.end_array().end_object();
}

// Null for times before and behind the profile.
void write_moment(JsonWriter& json, const char* key, const LaneIndex& index, std::int64_t wall_ns) {
  json.key(key);
  if (wall_ns == analyze::kBeforeProfile || wall_ns == analyze::kAfterProfile) {
    json.null();
  } else {
    json.value(index.from_zero(wall_ns));
  }
}

void write_stack(JsonWriter& json, std::string_view joined) {
  json.key("stack").begin_array();
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(';'), joined.size());
    json.value(joined.substr(0, end));
    joined.remove_prefix(std::min(joined.size(), end + 1));
  }
  json.end_array();
}

void write_block(JsonWriter& json, const ShownProfile& profile, const analyze::HeldBlock& block) {
  const trace::Trace& trace = profile.trace();
  json.begin_object().member("bytes", block.bytes);
  json.member("pool", analyze::pool_name(block.pool)).member("device", block.device.index);
  write_moment(json, "begin", profile.lanes, block.malloc_ns);
  write_moment(json, "end", profile.lanes, block.free_ns);
  json.member("owner", trace.strings.view(block.owner));
  if (block.op != trace::kNone) {
    write_stack(json, trace.strings.view(analyze::stack_around(trace, block.op)));
    const auto& ops = trace.framework_ops();
    json.key("slice");
    write_slice_object(profile.lanes,
                       profile.lanes.find_slice("", ops.tid[block.op], ops.start_ns[block.op],
                                                ops.end_ns[block.op]),
                       json);
  }
  json.end_object();
}

}  // namespace

Result<HttpReply> ask_memory(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const Span span, span_parameter(request.parameters, profile->lanes));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t pixels,
                           request.parameters.number_or("px", {1, kMostPixels}, 1000));
  if (profile->memory().empty()) {
    return Error{ErrorCode::kNoData,
                 "there are no memory events: they are recorded with profile_memory=True"};
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("curves").begin_array();
  for (const MemoryCurve& curve : profile->memory()) {
    write_curve(json, profile->lanes, curve, span, pixels);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

// Without a device, of all of them.
Result<HttpReply> ask_memory_alive(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t time,
                           request.parameters.needed_number("t", kAnyTime));
  NPUPROF_ASSIGN_OR_RETURN(const auto device, request.parameters.number("device", kAnyDevice));
  std::vector<analyze::HeldBlock> alive;
  std::int64_t bytes = 0;
  for (const analyze::HeldBlock& block : profile->blocks()) {
    if (!block.is_alive(time + profile->lanes.zero_ns())) continue;
    if (device && block.device.index != *device) continue;
    bytes += block.bytes;
    alive.push_back(block);
  }
  std::stable_sort(alive.begin(), alive.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("count", alive.size()).member("bytes", bytes);
  json.member("all_blocks", profile->blocks().size()).key("blocks").begin_array();
  for (std::size_t i = 0; i < std::min(alive.size(), kMostBlocks); ++i) {
    write_block(json, *profile, alive[i]);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
