#include "analyze/collective_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {
namespace {

// When one device computes.
class ComputingTime {
 public:
  void add(Interval interval) { intervals_.push_back(interval); }

  void prepare() {
    intervals_ = merge_intervals(std::move(intervals_));
    before_ns_.reserve(intervals_.size() + 1);
    before_ns_.push_back(0);
    for (const Interval& interval : intervals_) {
      before_ns_.push_back(
          saturated_sum(before_ns_.back(), saturated_difference(interval.end, interval.begin)));
    }
  }

  std::int64_t within(std::int64_t start_ns, std::int64_t end_ns) const {
    return saturated_difference(until(end_ns), until(start_ns));
  }

 private:
  // All of it before a time.
  std::int64_t until(std::int64_t time_ns) const {
    const auto next =
        std::partition_point(intervals_.begin(), intervals_.end(),
                             [&](const Interval& interval) { return interval.begin < time_ns; });
    const auto count = static_cast<std::size_t>(next - intervals_.begin());
    if (count == 0) return 0;
    const Interval& last = intervals_[count - 1];
    return saturated_sum(before_ns_[count - 1],
                         saturated_difference(std::min(last.end, time_ns), last.begin));
  }

  std::vector<Interval> intervals_;
  std::vector<std::int64_t> before_ns_;  // By interval: the length of all before it.
};

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
  std::map<std::uint16_t, ComputingTime> computing;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals.kind[i] != static_cast<std::uint8_t>(trace::OverlapKind::kComputing)) continue;
    computing[intervals.device[i]].add({intervals.start_ns[i], intervals.end_ns[i]});
  }
  for (auto& [device, time] : computing) time.prepare();
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
