#include <algorithm>

#include "analyze/module_totals.h"
#include "analyze/operator_mfu.h"
#include "answers/peak_options.h"
#include "base/json_writer.h"
#include "serve/call_tree.h"
#include "serve/error_reply.h"
#include "serve/lane_parameters.h"
#include "serve/requests.h"
#include "serve/subject.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostNodes = 50'000;

// Options of modes that are about peaks, as parameters.
Result<analyze::PeakOptions> peaks_of(const Request& request, const Subject& subject) {
  answers::Request asked = subject.request();
  for (const char* name : {"peak-tflops", "peak-gb-s"}) {
    if (!request.parameters.has(name)) continue;
    NPUPROF_ASSIGN_OR_RETURN(asked.options[name], request.parameters.text(name));
  }
  return answers::peak_options(asked);
}

void write_module(JsonWriter& json, std::size_t number, const analyze::ModuleTotal& module,
                  std::int64_t whole_ns) {
  json.begin_object().member("id", number).member("name", module.name);
  json.key("parent");
  if (module.parent == trace::kNone) {
    json.null();
  } else {
    json.value(module.parent);
  }
  json.member("depth", module.depth).member("calls", module.calls);
  json.member("total", module.total_ns()).member("self", module.self_ns);
  json.member("forward", module.forward_ns).member("backward", module.backward_ns);
  json.member("communication", module.communication_ns).member("busy", module.busy_ns);
  json.member("min", module.min_ns).member("max", module.max_ns).member("mean", module.mean_ns());
  const auto total = static_cast<double>(module.total_ns());
  json.member("share", whole_ns > 0 ? total / static_cast<double>(whole_ns) : 0);
  json.key("mfu");
  if (module.ideal_ns > 0 && total > 0) {
    json.value(module.ideal_ns / total);
  } else {
    json.null();
  }
  json.member("places", module.places).member("slowest_place", module.slowest_place);
  json.member("slowest", module.slowest_ns).member("typical", module.typical_ns).end_object();
}

std::vector<std::uint32_t> python_lanes(const LaneIndex& index) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t i = 0; i < index.lanes().size(); ++i) {
    if (index.lanes()[i].is_python) lanes.push_back(i);
  }
  return lanes;
}

// The nodes with most time and all above them, in their order.
std::vector<std::uint32_t> largest_nodes(const std::vector<CallTreeNode>& nodes) {
  std::vector<std::uint32_t> kept(nodes.size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) kept[i] = i;
  if (kept.size() <= kMostNodes) return kept;
  std::nth_element(kept.begin(), kept.begin() + kMostNodes, kept.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return std::pair(nodes[b].total_ns, a) < std::pair(nodes[a].total_ns, b);
                   });
  kept.resize(kMostNodes);
  std::vector<std::uint8_t> is_kept(nodes.size());
  for (std::uint32_t node : kept) {
    for (; node != trace::kNone && is_kept[node] == 0; node = nodes[node].parent) is_kept[node] = 1;
  }
  kept.clear();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (is_kept[i] != 0) kept.push_back(i);
  }
  return kept;
}

void write_nodes(JsonWriter& json, const LaneIndex& index, const std::vector<CallTreeNode>& nodes) {
  std::vector<std::uint32_t> number(nodes.size());
  const std::vector<std::uint32_t> kept = largest_nodes(nodes);
  json.member("left_out", nodes.size() - kept.size()).key("nodes").begin_array();
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    const CallTreeNode& node = nodes[kept[i]];
    number[kept[i]] = i;
    json.begin_object().member("name", index.name(node.name)).member("name_id", node.name);
    json.member("category", palette_key(index.palette_of(node.name))).key("parent");
    if (node.parent == trace::kNone) {
      json.null();
    } else {
      json.value(number[node.parent]);
    }
    json.member("count", node.count).member("total", node.total_ns).member("self", node.self_ns);
    json.member("lane", node.first.lane).member("event", node.first.slice);
    json.member("begin",
                index.from_zero(index.lanes()[node.first.lane].start_ns[node.first.slice]));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Result<HttpReply> ask_modules(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const Subject subject, subject_of(request));
  NPUPROF_ASSIGN_OR_RETURN(const analyze::PeakOptions options, peaks_of(request, subject));
  const trace::Trace& trace = subject.trace();
  const analyze::OperatorWork work = analyze::operator_work(trace);
  analyze::Peaks peaks(trace, options);
  const analyze::WorkFlops flops = analyze::work_flops(trace, work, peaks);
  NPUPROF_ASSIGN_OR_RETURN(const analyze::ModuleTotals totals,
                           analyze::module_totals(trace, work, flops.ideal_ns));
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("total", totals.total_ns).member("outside", totals.outside_ns);
  json.member("outside_backward", totals.outside_backward_ns);
  json.member("without_operator", totals.without_operator_ns);
  json.member("is_from_python", totals.is_from_python).key("modules").begin_array();
  for (std::size_t i = 0; i < totals.modules.size(); ++i) {
    write_module(json, i, totals.modules[i], totals.total_ns);
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

// Lanes of Python frames, unless others are named.
Result<HttpReply> ask_stacks(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto profile, request.profile());
  const LaneIndex& index = profile->lanes;
  NPUPROF_ASSIGN_OR_RETURN(const StepSpans spans, step_spans_parameter(request, *profile));
  NPUPROF_ASSIGN_OR_RETURN(auto lanes, lanes_parameter(request.parameters, index));
  if (!request.parameters.has("lanes")) lanes = python_lanes(index);
  const std::vector<CallTreeNode> nodes = call_tree(index, spans.host, lanes);
  if (nodes.empty()) {
    return Error{ErrorCode::kNoData,
                 "there are no Python calls: they are recorded with with_stack=True"};
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_nodes(json, index, nodes);
  json.end_object();
  return json_reply(std::move(text));
}

Result<HttpReply> ask_roofline(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const Subject subject, subject_of(request));
  NPUPROF_ASSIGN_OR_RETURN(const analyze::PeakOptions options, peaks_of(request, subject));
  const trace::Trace& trace = subject.trace();
  const analyze::OperatorWork work = analyze::operator_work(trace);
  analyze::Peaks peaks(trace, options);
  const analyze::WorkFlops flops = analyze::work_flops(trace, work, peaks);
  const auto uses = analyze::kernel_type_uses(
      trace, work, flops, analyze::memory_roof(trace, work, flops, options.gb_s));
  if (uses.empty()) return Error{ErrorCode::kNoData, "the profile has no kernels"};
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("peak_gb_s");
  if (options.gb_s > 0) {
    json.value(options.gb_s);
  } else {
    json.null();
  }
  json.key("peaks").begin_array();
  for (const trace::DeviceInfo& device : trace.devices) {
    json.begin_object().member("device", device.id);
    const double flops_s = peaks.nominal(device.id, analyze::NumberType::kHalf);
    json.member("fp16_tflops", flops_s / 1e12).end_object();
  }
  json.end_array().key("points").begin_array();
  for (const analyze::KernelTypeUse& use : uses) {
    json.begin_object().member("type", trace.strings.view(use.op_type));
    json.member("numbers", analyze::number_type_name(use.type)).member("count", use.count);
    json.member("total", use.total_ns).member("share", use.share).member("mfu", use.mfu);
    json.member("tflops", use.tflops).member("gb_s", use.gb_s);
    json.member("intensity", use.intensity).member("bound", analyze::bound_name(use.bound));
    json.end_object();
  }
  json.end_array().end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
