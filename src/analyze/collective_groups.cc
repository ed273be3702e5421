#include "analyze/collective_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/computing_time.h"
#include "analyze/kernel_class.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {
namespace {

// Of a collective that is a single kernel (GPUs) nothing is known but its time.
bool has_parts(const CommunicationOp& op) {
  return op.time.wait_ms > 0 || op.time.transit_ms > 0 ||
         std::any_of(op.traffic.begin(), op.traffic.end(),
                     [](const Traffic& traffic) { return traffic.time_ms > 0; });
}

}  // namespace

std::optional<std::vector<std::int64_t>> exposed_times(const trace::Trace& trace) {
  const auto& intervals = trace.overlap_intervals();
  if (intervals.size() == 0) return std::nullopt;
  const auto computing = computing_times(trace);
  const auto& ops = trace.collective_ops();
  std::vector<std::int64_t> exposed(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int64_t duration_ns = saturated_difference(ops.end_ns[i], ops.start_ns[i]);
    if (duration_ns <= 0) continue;
    const auto device = computing.find(ops.device[i]);
    const std::int64_t hidden_ns =
        device == computing.end() ? 0 : device->second.within(ops.start_ns[i], ops.end_ns[i]);
    exposed[i] = std::max<std::int64_t>(saturated_difference(duration_ns, hidden_ns), 0);
  }
  return exposed;
}

std::vector<const CommunicationOp*> details_of_collectives(const trace::Trace& trace,
                                                           std::span<const CommunicationOp> ops) {
  std::vector<const CommunicationOp*> details(trace.collective_ops().size(), nullptr);
  const auto& tasks = trace.collective_tasks();
  // communication_ops() has one for each run of tasks of one collective, in their order.
  std::size_t next = 0;
  for (std::size_t i = 0; i < tasks.size() && next < ops.size(); ++i) {
    if (i > 0 && tasks.op[i] == tasks.op[i - 1]) continue;
    if (tasks.op[i] < details.size() && has_parts(ops[next])) details[tasks.op[i]] = &ops[next];
    ++next;
  }
  return details;
}

std::string_view collective_type(const trace::Trace& trace, std::uint32_t collective) {
  const auto& ops = trace.collective_ops();
  if (ops.type[collective] != kEmptyString) return trace.strings.view(ops.type[collective]);
  const std::string_view name = trace.strings.view(ops.name[collective]);
  const std::size_t end = name.find("__");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

// "hcom_send_", "hcom_receive_", "hcom_batchSendRecv_", "ncclDevKernel_SendRecv"
TransferSides transfer_sides(std::string_view type) {
  return {.sends = contains_word(type, "send"),
          .receives = contains_word(type, "recei") || contains_word(type, "recv")};
}

StringId collective_group(const trace::Trace& trace, std::uint32_t collective) {
  const auto& ops = trace.collective_ops();
  return ops.group_name[collective] != kEmptyString ? ops.group_name[collective]
                                                    : ops.group[collective];
}

std::vector<CollectiveGroup> collective_groups(const trace::Trace& trace,
                                               std::span<const CommunicationOp> ops) {
  const auto& collectives = trace.collective_ops();
  const auto exposed = exposed_times(trace);
  const std::vector<const CommunicationOp*> details = details_of_collectives(trace, ops);
  std::vector<CollectiveGroup> groups;
  std::vector<std::vector<const CommunicationOp*>> details_of_group;
  std::vector<std::uint32_t> group_of(collectives.size());
  std::vector<std::int64_t> durations_ns(collectives.size());
  std::map<std::tuple<std::uint16_t, std::string_view, StringId>, std::uint32_t> places;
  for (std::uint32_t i = 0; i < collectives.size(); ++i) {
    const std::tuple key(collectives.device[i], collective_type(trace, i),
                         collective_group(trace, i));
    const auto [place, is_new] = places.try_emplace(key, static_cast<std::uint32_t>(groups.size()));
    if (is_new) {
      groups.push_back({.device = std::get<0>(key),
                        .type = std::get<1>(key),
                        .group = std::get<2>(key),
                        .rank_size = collectives.rank_size[i]});
      details_of_group.emplace_back();
    }
    CollectiveGroup& group = groups[place->second];
    group_of[i] = place->second;
    durations_ns[i] = saturated_difference(collectives.end_ns[i], collectives.start_ns[i]);
    if (exposed) group.exposed_ns = saturated_sum(group.exposed_ns.value_or(0), (*exposed)[i]);
    if (details[i] != nullptr) details_of_group[place->second].push_back(details[i]);
  }
  const auto times = summarize_durations(group_of, durations_ns, groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].times = times[i];
    if (!details_of_group[i].empty()) groups[i].details = total_of(details_of_group[i]);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::tie(a.device, b.times.total_ns) < std::tie(b.device, a.times.total_ns);
  });
  return groups;
}

}  // namespace npuprof::analyze
