#include "answers/communication_answer.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "analyze/collective_groups.h"
#include "analyze/step_finder.h"
#include "analyze/task_operators.h"
#include "answers/time_columns.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/tasks.h"

namespace npuprof::answers {
namespace {

using analyze::CollectiveGroup;
using analyze::Transport;

std::int64_t ns_of_ms(double milliseconds) { return nearest_integer(milliseconds * 1e6); }

std::optional<double> exposed_share(std::optional<std::int64_t> exposed_ns, std::int64_t total_ns) {
  if (!exposed_ns || total_ns <= 0) return std::nullopt;
  return static_cast<double>(*exposed_ns) / static_cast<double>(total_ns);
}

Table collective_table(const trace::Trace& trace, const std::vector<CollectiveGroup>& groups) {
  Table table("communication", "Collectives by type and group");
  table.integer("device", "Device");
  table.text("type", "Type");
  table.text("group", "Group");
  table.integer("ranks", "Ranks");
  table.integer("count", "Count");
  table.duration("total", "Total");
  table.duration("mean", "Mean");
  table.duration("max", "Max");
  table.duration("not_overlapped", "Not overlapped");
  table.share("not_overlapped_share", "Share not overlapped");
  table.duration("wait", "Wait");
  table.share("wait_share", "Wait share");
  table.duration("transit", "Transit");
  table.comparison = {.names = {"type", "ranks"},
                      .also = {"group", "device"},
                      .sums = {"count", "total", "not_overlapped"},
                      .values = {"mean"}};
  for (const CollectiveGroup& group : groups) {
    table.row(group.device, group.type, trace.strings.view(group.group),
              group.rank_size == 0 ? std::nullopt : std::optional(group.rank_size),
              group.times.count, group.times.total_ns, nearest_integer(group.times.mean_ns()),
              group.times.max_ns, group.exposed_ns,
              exposed_share(group.exposed_ns, group.times.total_ns));
    if (group.details) {
      const analyze::CommunicationTime& time = group.details->time;
      table.row(ns_of_ms(time.wait_ms), time.wait_ratio, ns_of_ms(time.transit_ms));
    } else {
      table.skip().skip().skip();
    }
  }
  return table;
}

// Whether all that the DMA engine moved is listed under its links too.
bool is_sum_of_links(const analyze::TrafficByTransport& traffic) {
  const auto size_mb = [&](Transport transport) {
    return traffic[static_cast<std::size_t>(transport)].size_mb;
  };
  const double links_mb =
      size_mb(Transport::kHccs) + size_mb(Transport::kPcie) + size_mb(Transport::kSio);
  return size_mb(Transport::kSdma) <= links_mb * (1 + 1e-9);
}

void add_bandwidths(Table& table, const trace::Trace& trace, const CollectiveGroup& group) {
  const analyze::TrafficByTransport& traffic = group.details->traffic;
  for (std::size_t i = 0; i < analyze::kTransportCount; ++i) {
    const auto transport = static_cast<Transport>(i);
    const analyze::Traffic& one = traffic[i];
    if (one.time_ms <= 0 && one.size_mb <= 0) continue;
    if (transport == Transport::kSdma && is_sum_of_links(traffic)) continue;
    std::uint64_t packets = 0;
    for (const analyze::PacketCount& packet : one.packets) packets += packet.count;
    table.row(group.device, group.type, trace.strings.view(group.group),
              analyze::transport_name(transport), nearest_integer(one.size_mb * 1e6),
              ns_of_ms(one.time_ms),
              one.time_ms > 0 ? std::optional(one.bandwidth_gb_s) : std::nullopt);
    if (packets > 0 && transport != Transport::kSdma) {
      table.row(packets, 1 - one.large_packet_ratio);
    } else {
      table.skip().skip();
    }
  }
}

Table bandwidth_table(const trace::Trace& trace, const std::vector<CollectiveGroup>& groups) {
  Table table("communication_bandwidth", "What collectives moved over which links");
  table.integer("device", "Device");
  table.text("type", "Type");
  table.text("group", "Group");
  table.text("transport", "Transport");
  table.bytes("size", "Size");
  table.duration("time", "Time");
  table.real("bandwidth", "Bandwidth", "GB/s");
  table.integer("packets", "Packets");
  table.share("small_packets", "Small packets");
  table.comparison = {.names = {"type", "transport"},
                      .also = {"group", "device"},
                      .sums = {"size", "time"},
                      .values = {"bandwidth"}};
  for (const CollectiveGroup& group : groups) {
    if (group.details) add_bandwidths(table, trace, group);
  }
  table.notes.emplace_back(
      "Small packets are those of at most 32 MB, of at most 0.5 MB over RDMA: they do not reach "
      "the bandwidth of the link. SDMA counts HCCS, PCIE and SIO again.");
  return table;
}

// By row of CollectiveOps: the operator that launched its first task that has one.
std::vector<std::uint32_t> operators_of_collectives(const trace::Trace& trace) {
  std::vector<std::uint32_t> result(trace.collective_ops().size(), trace::kNone);
  const std::vector<std::uint32_t> by_task = analyze::operators_of_tasks(trace);
  const auto& tasks = trace.collective_tasks();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint32_t task = tasks.task[i];
    if (task >= by_task.size() || tasks.op[i] >= result.size()) continue;
    if (result[tasks.op[i]] == trace::kNone) result[tasks.op[i]] = by_task[task];
  }
  return result;
}

std::vector<std::uint32_t> collectives_by_length(const trace::CollectiveOps& ops) {
  std::vector<std::uint32_t> order(ops.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return saturated_difference(ops.end_ns[a], ops.start_ns[a]) >
           saturated_difference(ops.end_ns[b], ops.start_ns[b]);
  });
  return order;
}

Table longest_table(const trace::Trace& trace, std::span<const analyze::CommunicationOp> all) {
  Table table("communication_longest", "Longest collectives");
  table.usual_rows = 10;
  table.text("name", "Name");
  table.integer("device", "Device");
  table.integer("step", "Step");
  table.text("group", "Group");
  table.moment("start", "Start");
  table.duration("duration", "Duration");
  table.duration("not_overlapped", "Not overlapped");
  table.duration("wait", "Wait");
  table.duration("transit", "Transit");
  table.text("operator", "Operator");
  table.text("stack", "Stack");
  const trace::CollectiveOps& ops = trace.collective_ops();
  const auto exposed = analyze::exposed_times(trace);
  const auto details = analyze::details_of_collectives(trace, all);
  const std::vector<std::uint32_t> operators = operators_of_collectives(trace);
  const analyze::StepFinder steps(trace.steps(), analyze::StepFinder::End::kIncluded);
  for (const std::uint32_t row : collectives_by_length(ops)) {
    const std::uint32_t step = steps.find(ops.start_ns[row]);
    const std::uint32_t op = operators[row];
    const bool has_op = op != trace::kNone;
    table.row(trace.strings.view(ops.name[row]), ops.device[row],
              step == trace::kNone ? std::nullopt : std::optional(trace.steps().id[step]),
              trace.strings.view(analyze::collective_group(trace, row)), ops.start_ns[row],
              saturated_difference(ops.end_ns[row], ops.start_ns[row]),
              exposed ? std::optional((*exposed)[row]) : std::nullopt,
              details[row] ? std::optional(ns_of_ms(details[row]->time.wait_ms)) : std::nullopt,
              details[row] ? std::optional(ns_of_ms(details[row]->time.transit_ms)) : std::nullopt,
              has_op ? trace.strings.view(trace.framework_ops().name[op]) : std::string_view(),
              trace.strings.view(analyze::stack_around(trace, op)));
  }
  return table;
}

std::string exposed_sentence(const std::vector<CollectiveGroup>& groups) {
  std::int64_t total_ns = 0;
  std::int64_t exposed_ns = 0;
  const CollectiveGroup* worst = &groups.front();
  for (const CollectiveGroup& group : groups) {
    add_saturated(total_ns, group.times.total_ns);
    add_saturated(exposed_ns, group.exposed_ns.value_or(0));
    if (group.exposed_ns.value_or(0) > worst->exposed_ns.value_or(0)) worst = &group;
  }
  if (!worst->exposed_ns) {
    return fmt::format("Collectives take {}, most of it {} ({}).", duration_text(total_ns),
                       worst->type, duration_text(worst->times.total_ns));
  }
  return fmt::format(
      "Collectives take {}; {} of that ({}) is not hidden behind computing, most of it {} ({}).",
      duration_text(total_ns), duration_text(exposed_ns),
      share_text(exposed_share(exposed_ns, total_ns).value_or(0)), worst->type,
      duration_text(*worst->exposed_ns));
}

std::optional<std::string> wait_sentence(const std::vector<CollectiveGroup>& groups) {
  double wait_ms = 0;
  double transit_ms = 0;
  for (const CollectiveGroup& group : groups) {
    if (!group.details) continue;
    wait_ms += group.details->time.wait_ms;
    transit_ms += group.details->time.transit_ms;
  }
  if (!(wait_ms + transit_ms > 0)) return std::nullopt;
  const double share = wait_ms / (wait_ms + transit_ms);
  return fmt::format("{} of wait and transit is waiting for other ranks{}.", share_text(share),
                     share > 0.5 ? ": look for a slow rank before a slow link" : "");
}

Result<Answer> answer_communication(const Request& request) {
  const trace::Trace& trace = request.trace;
  if (trace.collective_ops().size() == 0) {
    return Error{ErrorCode::kNoData, "the profile has no collectives"};
  }
  const std::vector<analyze::CommunicationOp>& all = request.results.communication();
  const std::vector<CollectiveGroup> groups = analyze::collective_groups(trace, all);
  Answer answer;
  answer.sentences.push_back(exposed_sentence(groups));
  if (auto sentence = wait_sentence(groups)) answer.sentences.push_back(std::move(*sentence));
  answer.tables.push_back(collective_table(trace, groups));
  Table bandwidths = bandwidth_table(trace, groups);
  if (bandwidths.size() > 0) answer.tables.push_back(std::move(bandwidths));
  answer.tables.push_back(longest_table(trace, all));
  return answer;
}

}  // namespace

const Mode kCommunicationMode = {
    .name = "communication",
    .question = "What do collectives cost, what of it is hidden, and do they wait or move data?",
    .explains =
        "Collectives added up by type and group; what they moved over which link; the longest "
        "ones with step and operator. Not overlapped is while the device computes nothing. Wait "
        "share is wait / (wait + transit) of the leading plane. Small packets are those too small "
        "for the bandwidth of the link.",
    .needs = "collectives of a device; wait, transit and bandwidth from level 1 on",
    .collect =
        "profile a run on several devices with ProfilerActivity.NPU and "
        "profiler_level=ProfilerLevel.Level1; ProfilerActivity.CPU and with_stack=True tell where "
        "they are called",
    .reads = {trace::Part::kDetails, trace::Part::kOverlap, trace::Part::kStacks},
    .options = {},
    .answer = answer_communication,
};

}  // namespace npuprof::answers
