// The tree of overall times: computing by what computes, communication that nothing hides by group
// and by waiting or moving, free time, and the whole.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "analyze/kernel_metrics.h"
#include "analyze/profile_parts.h"
#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// What kinds of cores a kernel used: by its counters, else by the type of its task.
class CoreUses {
 public:
  explicit CoreUses(const trace::Trace& trace) : trace_(trace), metrics_(trace) {
    values_.resize(metrics_.size());
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const std::string& name = metrics_.columns()[i].name;
      if (name == "aic_mac_time" || name == "mac_time" || name == "aic_time")
        counters_.push_back(i);
    }
  }

  CoreUse of(std::uint32_t kernel) {
    const std::string_view type = trace_.strings.view(trace_.kernels().task_type[kernel]);
    if (type == "AI_CPU") return CoreUse::kUnknown;
    if (!counters_.empty() && metrics_.has(kernel)) {
      metrics_.compute(kernel, values_);
      for (const std::size_t i : counters_) {
        if (values_[i] > 0) return CoreUse::kCube;
      }
      return CoreUse::kVector;
    }
    if (type == "AI_CORE" || type == "MIX_AIC") return CoreUse::kCube;
    return type == "AI_VECTOR_CORE" || type == "MIX_AIV" ? CoreUse::kVector : CoreUse::kUnknown;
  }

 private:
  const trace::Trace& trace_;
  KernelMetrics metrics_;
  std::vector<std::size_t> counters_;
  std::vector<double> values_;
};

using StepIntervals = std::vector<std::vector<Interval>>;  // By step; merged.

void merge_all(StepIntervals& steps) {
  for (auto& list : steps) list = merge_intervals(std::move(list));
}

class OverallTree {
 public:
  OverallTree(const trace::Trace& trace, std::uint16_t device, const StepPlaces& places,
              const std::vector<StringId>& operator_of_task)
      : trace_(trace), device_(device), places_(places), operator_of_task_(operator_of_task) {}

  std::vector<PartSeries> make() {
    collect_intervals();
    add_computing();
    add_communication();
    add_free();
    add_whole();
    return std::move(tree_);
  }

 private:
  PartSeries& add_node(std::string key, std::uint32_t depth) {
    PartSeries& node = tree_.emplace_back();
    node.key = std::move(key);
    node.depth = depth;
    node.ns.assign(places_.count(), 0);
    return node;
  }
  PartSeries& add_counted(std::string key, std::uint32_t depth) {
    PartSeries& node = add_node(std::move(key), depth);
    node.counts.assign(places_.count(), 0);
    return node;
  }

  void collect_intervals() {
    for (auto* list : {&computing_, &uncovered_, &free_}) list->resize(places_.count());
    const auto& intervals = trace_.overlap_intervals();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const std::uint32_t step = places_.of_device_time(intervals.start_ns[i]);
      if (intervals.device[i] != device_ || step == kNone) continue;
      const Interval interval{intervals.start_ns[i], intervals.end_ns[i]};
      switch (static_cast<trace::OverlapKind>(intervals.kind[i])) {
        case trace::OverlapKind::kComputing:
          computing_[step].push_back(interval);
          break;
        case trace::OverlapKind::kNotOverlapped:
          uncovered_[step].push_back(interval);
          break;
        case trace::OverlapKind::kFree:
          free_[step].push_back(interval);
          break;
        case trace::OverlapKind::kCommunication:
          break;
      }
    }
    for (auto* list : {&computing_, &uncovered_, &free_}) merge_all(*list);
  }

  static void set_lengths(PartSeries& node, const StepIntervals& intervals) {
    for (std::size_t step = 0; step < node.ns.size(); ++step) {
      node.ns[step] = total_length(intervals[step]);
    }
  }

  void add_computing() {
    set_lengths(add_node("Computing Time", 0), computing_);
    // Sums of a part, and of it on cube and on vector cores.
    std::array<std::array<PartSeries, 3>, kComputeParts> sums;
    for (auto& part : sums) {
      for (PartSeries& sum : part) {
        sum.counts.assign(places_.count(), 0);
        sum.ns.assign(places_.count(), 0);
      }
    }
    CoreUses uses(trace_);
    const auto& kernels = trace_.kernels();
    const auto& tasks = trace_.tasks();
    for (std::uint32_t i = 0; i < kernels.size(); ++i) {
      const auto task = kernels.task[i];
      const std::uint32_t step = places_.of_device_time(tasks.start_ns[task]);
      if (kernels.kind[i] != static_cast<std::uint8_t>(trace::KernelKind::kCompute) ||
          tasks.device[task] != device_ || step == kNone) {
        continue;
      }
      const CoreUse use = uses.of(i);
      const std::int64_t ns = saturated_difference(tasks.end_ns[task], tasks.start_ns[task]);
      auto& part = sums[static_cast<std::size_t>(part_of(i, task, use))];
      const auto add = [&](PartSeries& sum) {
        ++sum.counts[step];
        add_saturated(sum.ns[step], ns);
      };
      add(part[0]);
      if (use == CoreUse::kCube) add(part[1]);
      if (use == CoreUse::kVector) add(part[2]);
    }
    put_parts(sums);
  }

  // Kernels have few types and operators, so each pair is looked at once.
  ComputePart part_of(std::uint32_t kernel, std::uint32_t task, CoreUse use) {
    const StringId type = trace_.kernels().op_type[kernel] != kEmptyString
                              ? trace_.kernels().op_type[kernel]
                              : trace_.kernels().name[kernel];
    const std::tuple key(type, operator_of_task_[task], use);
    const auto [found, is_new] = part_of_type_.try_emplace(key, ComputePart::kOther);
    if (is_new) {
      found->second = compute_part(trace_.strings.view(type),
                                   trace_.strings.view(operator_of_task_[task]), use);
    }
    return found->second;
  }

  void put_parts(std::array<std::array<PartSeries, 3>, kComputeParts>& sums) {
    for (std::size_t i = 0; i < kComputeParts; ++i) {
      const auto part = static_cast<ComputePart>(i);
      if (sums[i][0].total_count() == 0) continue;
      const std::string name(compute_part_name(part));
      const auto put = [&](PartSeries& sum, std::string key, std::uint32_t depth) {
        sum.key = std::move(key);
        sum.depth = depth;
        tree_.push_back(std::move(sum));
      };
      put(sums[i][0], name, 1);
      if (!has_cube_and_vector(part)) continue;
      put(sums[i][1], name + " Cube", 2);
      put(sums[i][2], name + " Vector", 2);
    }
  }

  // Names of groups differ from run to run, so groups go by the order in which they are first used.
  struct GroupTimes {
    StepIntervals whole;
    std::map<std::uint32_t, StepIntervals> waits;  // By plane.
    std::vector<std::uint64_t> counts;
  };

  // Whether a wait is part of sending over RDMA: what it waits for is its own data.
  bool belongs_to_send(std::size_t row) const {
    const auto& parts = trace_.collective_tasks();
    const auto is_send = [&](std::size_t i) { return send_ && parts.name[i] == *send_; };
    const auto same = [&](std::size_t i) {
      return parts.op[i] == parts.op[row] && parts.plane[i] == parts.plane[row];
    };
    if (row >= 2 && same(row - 2) && is_send(row - 1) && is_send(row - 2)) return true;
    return row >= 4 && same(row - 4) && is_send(row - 1) && wait_ &&
           parts.name[row - 2] == *wait_ && is_send(row - 3) && is_send(row - 4);
  }

  std::vector<GroupTimes> group_times() {
    std::vector<GroupTimes> groups;
    std::map<StringId, std::size_t> place_of;
    const auto& ops = trace_.collective_ops();
    std::vector<std::uint32_t> step_of(ops.size(), kNone);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      step_of[i] = ops.device[i] == device_ ? places_.of_device_time(ops.start_ns[i]) : kNone;
      if (step_of[i] == kNone) continue;
      const auto [place, is_new] = place_of.try_emplace(ops.group[i], groups.size());
      if (is_new) groups.emplace_back();
      GroupTimes& group = groups[place->second];
      group.whole.resize(places_.count());
      group.counts.resize(places_.count());
      group.whole[step_of[i]].push_back({ops.start_ns[i], ops.end_ns[i]});
      ++group.counts[step_of[i]];
    }
    wait_ = trace_.strings.find("Notify_Wait");
    send_ = trace_.strings.find("RDMASend");
    const auto& parts = trace_.collective_tasks();
    for (std::size_t i = 0; wait_ && i < parts.size(); ++i) {
      const std::uint32_t op = parts.op[i];
      if (op >= ops.size() || step_of[op] == kNone) continue;
      if (parts.name[i] != *wait_ || belongs_to_send(i)) continue;
      StepIntervals& waits = groups[place_of[ops.group[op]]].waits[parts.plane[i]];
      waits.resize(places_.count());
      waits[step_of[op]].push_back({parts.start_ns[i], parts.end_ns[i]});
    }
    return groups;
  }

  void add_communication() {
    set_lengths(add_node("Uncovered Communication Time", 0), uncovered_);
    std::vector<GroupTimes> groups = group_times();
    PartSeries overlap;
    overlap.key = "Overlap between groups";
    overlap.depth = 1;
    overlap.ns.assign(places_.count(), 0);
    for (std::size_t step = 0; step < places_.count(); ++step) {
      overlap.ns[step] = -total_length(uncovered_[step]);
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      put_group("Group " + std::to_string(i + 1), groups[i], overlap);
    }
    if (groups.size() > 1) tree_.push_back(std::move(overlap));
  }

  void put_group(const std::string& label, GroupTimes& group, PartSeries& overlap) {
    merge_all(group.whole);
    PartSeries whole = add_counted(label, 1);
    whole.counts = group.counts;
    PartSeries wait = whole;
    wait.key = label + " Wait";
    wait.depth = 2;
    wait.counts.clear();
    PartSeries transmit = wait;
    transmit.key = label + " Transmit";
    for (std::size_t step = 0; step < places_.count(); ++step) {
      whole.ns[step] = overlap_length(group.whole[step], uncovered_[step]);
      std::int64_t least = group.waits.empty() ? 0 : INT64_MAX;
      std::int64_t least_uncovered = 0;
      for (auto& [plane, waits] : group.waits) {
        const std::vector<Interval> merged = merge_intervals(waits[step]);
        if (total_length(merged) >= least) continue;
        least = total_length(merged);
        least_uncovered = overlap_length(merged, uncovered_[step]);
      }
      wait.ns[step] = std::min(least_uncovered, whole.ns[step]);
      transmit.ns[step] = whole.ns[step] - wait.ns[step];
      add_saturated(overlap.ns[step], whole.ns[step]);
    }
    tree_.back() = std::move(whole);
    tree_.push_back(std::move(wait));
    tree_.push_back(std::move(transmit));
  }

  void add_free() {
    set_lengths(add_node("Free Time", 0), free_);
    StepIntervals copies(places_.count());
    const auto& tasks = trace_.tasks();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks.copy_direction[i] == kNone || tasks.device[i] != device_) continue;
      const std::uint32_t step = places_.of_device_time(tasks.start_ns[i]);
      if (step != kNone) copies[step].push_back({tasks.start_ns[i], tasks.end_ns[i]});
    }
    merge_all(copies);
    PartSeries moving = add_node("SDMA", 1);
    PartSeries nothing = add_node("Free", 1);
    for (std::size_t step = 0; step < places_.count(); ++step) {
      moving.ns[step] = overlap_length(copies[step], free_[step]);
      nothing.ns[step] = total_length(free_[step]) - moving.ns[step];
    }
    tree_[tree_.size() - 2] = std::move(moving);
    tree_.back() = std::move(nothing);
  }

  void add_whole() {
    PartSeries& whole = add_node("E2E Time", 0);
    for (std::size_t step = 0; step < places_.count(); ++step) {
      whole.ns[step] = saturated_sum(
          saturated_sum(total_length(computing_[step]), total_length(uncovered_[step])),
          total_length(free_[step]));
    }
  }

  const trace::Trace& trace_;
  std::uint16_t device_;
  const StepPlaces& places_;
  const std::vector<StringId>& operator_of_task_;
  StepIntervals computing_;
  StepIntervals uncovered_;
  StepIntervals free_;
  std::optional<StringId> wait_;
  std::optional<StringId> send_;
  std::map<std::tuple<StringId, StringId, CoreUse>, ComputePart> part_of_type_;
  std::vector<PartSeries> tree_;
};

}  // namespace

std::vector<PartSeries> overall_parts(const trace::Trace& trace, std::uint16_t device,
                                      const StepPlaces& places,
                                      const std::vector<StringId>& operator_of_task) {
  return OverallTree(trace, device, places, operator_of_task).make();
}

}  // namespace npuprof::analyze
