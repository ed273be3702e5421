// Sequences of kernels that come again and again, with gaps between them or bound by moving data:
// one kernel in place of several would not have the gaps. A gap is time in which the device does
// nothing; one in which it communicates ends a sequence.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "analyze/advisor/advised_calls.h"
#include "analyze/advisor/advised_kernels.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/kernel_metrics.h"
#include "base/count_text.h"
#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::analyze {
namespace {

// A kernel in the order in which its stream ran it.
struct StreamKernel {
  std::uint32_t kernel = 0;
  std::uint32_t type = 0;  // 0 = none may be part of a sequence with it.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = 0;  // With the device.
  std::uint16_t device = 0;
  bool follows = false;  // The one before it is of its stream, and no collective runs in between.
  std::int64_t idle_before_ns = 0;  // Of the device, since that one.
};

// When the devices did anything, and when they communicated.
class DeviceActivity {
 public:
  explicit DeviceActivity(const trace::Trace& trace) {
    const auto& tasks = trace.tasks();
    for (const std::uint32_t task : trace.kernels().task) {
      devices_[tasks.device[task]].busy.push_back({tasks.start_ns[task], tasks.end_ns[task]});
    }
    const auto& ops = trace.collective_ops();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      Times& times = devices_[ops.device[i]];
      times.busy.push_back({ops.start_ns[i], ops.end_ns[i]});
      times.collectives.push_back({ops.start_ns[i], ops.end_ns[i]});
    }
    for (auto& [device, times] : devices_) {
      times.busy = merge_intervals(std::move(times.busy));
      times.collectives = merge_intervals(std::move(times.collectives));
      std::int64_t sum_ns = 0;
      for (const Interval& busy : times.busy) {
        times.busy_before_ns.push_back(sum_ns);
        add_saturated(sum_ns, saturated_difference(busy.end, busy.begin));
      }
    }
  }

  bool communicates(std::uint16_t device, const Interval& gap) const {
    return overlaps_any(devices_.at(device).collectives, gap);
  }
  std::int64_t idle_ns(std::uint16_t device, const Interval& gap) const {
    if (gap.end <= gap.begin) return 0;
    const Times& times = devices_.at(device);
    const std::int64_t busy_ns =
        saturated_difference(busy_until(times, gap.end), busy_until(times, gap.begin));
    return saturated_difference(saturated_difference(gap.end, gap.begin), busy_ns);
  }
  // Of gaps that may overlap.
  std::int64_t idle_ns(std::uint16_t device, std::vector<Interval> gaps) const {
    gaps = merge_intervals(std::move(gaps));
    return saturated_difference(total_length(gaps), overlap_length(gaps, devices_.at(device).busy));
  }

 private:
  struct Times {
    std::vector<Interval> busy;
    std::vector<std::int64_t> busy_before_ns;  // Before each of them.
    std::vector<Interval> collectives;
  };

  static std::int64_t busy_until(const Times& times, std::int64_t time_ns) {
    const auto next =
        std::partition_point(times.busy.begin(), times.busy.end(),
                             [&](const Interval& busy) { return busy.begin < time_ns; });
    if (next == times.busy.begin()) return 0;
    const Interval& last = *std::prev(next);
    return saturated_sum(
        times.busy_before_ns[static_cast<std::size_t>(std::prev(next) - times.busy.begin())],
        saturated_difference(std::min(last.end, time_ns), last.begin));
  }

  std::map<std::uint16_t, Times> devices_;
};

std::vector<StreamKernel> kernels_by_stream(const trace::Trace& trace,
                                            const DeviceActivity& activity) {
  const auto ai_cpu = trace.strings.find("AI_CPU");
  const auto& kernels = trace.kernels();
  const auto& tasks = trace.tasks();
  std::vector<StreamKernel> list;
  list.reserve(kernels.size());
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    const auto task = kernels.task[i];
    const bool fits = kernels.kind[i] == static_cast<std::uint8_t>(trace::KernelKind::kCompute) &&
                      (!ai_cpu || kernels.task_type[i] != *ai_cpu);
    list.push_back(
        {i, fits ? to_index(kernels.op_type[i]) : 0, tasks.start_ns[task], tasks.end_ns[task],
         trace::StreamId{tasks.device[task], tasks.stream[task]}.key(), tasks.device[task]});
  }
  std::stable_sort(list.begin(), list.end(), [](const StreamKernel& a, const StreamKernel& b) {
    return std::pair(a.stream, a.start_ns) < std::pair(b.stream, b.start_ns);
  });
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i - 1].stream != list[i].stream) continue;
    const Interval gap{list[i - 1].end_ns, list[i].start_ns};
    list[i].follows = !activity.communicates(list[i].device, gap);
    list[i].idle_before_ns = activity.idle_ns(list[i].device, gap);
  }
  return list;
}

struct KernelSequence {
  std::size_t first = 0;  // Place of the first occurrence.
  std::size_t length = 0;
  std::size_t next_free = 0;  // Occurrences do not overlap.
  std::uint64_t count = 0;
  std::int64_t busy_ns = 0;
  std::int64_t gap_ns = 0;
  double mte_ns = 0;  // Time that data was moved, if counters say so.

  std::int64_t span_ns() const { return saturated_sum(busy_ns, gap_ns); }
  double busy_share() const {
    return span_ns() > 0 ? static_cast<double>(busy_ns) / static_cast<double>(span_ns()) : 1;
  }
  double mte_share() const { return busy_ns > 0 ? mte_ns / static_cast<double>(busy_ns) : 0; }
};

// Time that kernels moved data, by row of Kernels; empty without counters.
std::vector<double> moving_times(const trace::Trace& trace) {
  const KernelMetrics metrics(trace);
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::string& name = metrics.columns()[i].name;
    if (name.ends_with("mte2_ratio") || name.ends_with("mte3_ratio")) columns.push_back(i);
  }
  if (columns.empty()) return {};
  std::vector<double> times(trace.kernels().size());
  std::vector<double> values(metrics.size());
  for (const std::uint32_t kernel : compute_kernels(trace)) {
    if (!metrics.has(kernel)) continue;
    metrics.compute(kernel, values);
    double ratio = 0;
    for (const std::size_t i : columns) {
      if (!std::isnan(values[i])) ratio = std::max(ratio, values[i]);
    }
    times[kernel] = ratio * static_cast<double>(kernel_ns(trace, kernel));
  }
  return times;
}

class SequenceFinder {
 public:
  explicit SequenceFinder(const trace::Trace& trace)
      : activity_(trace),
        list_(kernels_by_stream(trace, activity_)),
        moving_ns_(moving_times(trace)) {}

  const std::vector<StreamKernel>& kernels() const { return list_; }

  // Sequences of one length that come often enough, in order of first appearance.
  std::vector<KernelSequence> of_length(std::size_t length) {
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::vector<KernelSequence> found;
    for_each_window(length, [&](std::size_t first) {
      const auto [place, is_new] = places.try_emplace(hash_of(first, length), found.size());
      if (is_new) found.push_back({.first = first, .length = length});
      add(found[place->second], first);
    });
    std::erase_if(found, [](const KernelSequence& sequence) {
      return sequence.count <= advice::kRepeatedSequence;
    });
    return found;
  }

  // In the gaps of any of the sequences, each moment once.
  std::int64_t idle_ns(const std::vector<KernelSequence>& sequences) const {
    std::map<std::uint16_t, std::vector<Interval>> gaps;
    for (const KernelSequence& sequence : sequences) {
      std::size_t next_free = 0;
      for_each_window(sequence.length, [&](std::size_t first) {
        if (first < next_free || !is_equal(sequence.first, first, sequence.length)) return;
        next_free = first + sequence.length;
        for (std::size_t i = first + 1; i < next_free; ++i) {
          gaps[list_[i].device].push_back({list_[i - 1].end_ns, list_[i].start_ns});
        }
      });
    }
    std::int64_t sum_ns = 0;
    for (auto& [device, list] : gaps) {
      add_saturated(sum_ns, activity_.idle_ns(device, std::move(list)));
    }
    return sum_ns;
  }

 private:
  // Calls visit(first) for each place where so many kernels may be one sequence.
  template <typename Visit>
  void for_each_window(std::size_t length, const Visit& visit) const {
    std::size_t run = 0;  // Kernels up to here that may be in one sequence.
    for (std::size_t i = 0; i < list_.size(); ++i) {
      run = list_[i].type == 0 ? 0 : list_[i].follows ? run + 1 : 1;
      if (run >= length) visit(i + 1 - length);
    }
  }

  std::uint64_t hash_of(std::size_t first, std::size_t length) const {
    std::uint64_t hash = 1469598103934665603u;
    for (std::size_t i = first; i < first + length; ++i) {
      hash = (hash ^ list_[i].type) * 1099511628211u;
      hash ^= hash >> 29;
    }
    return hash;
  }

  bool is_equal(std::size_t a, std::size_t b, std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i) {
      if (list_[a + i].type != list_[b + i].type) return false;
    }
    return true;
  }

  void add(KernelSequence& sequence, std::size_t first) {
    if (first < sequence.next_free || !is_equal(sequence.first, first, sequence.length)) return;
    sequence.next_free = first + sequence.length;
    ++sequence.count;
    for (std::size_t i = first; i < first + sequence.length; ++i) {
      add_saturated(sequence.busy_ns, saturated_difference(list_[i].end_ns, list_[i].start_ns));
      if (i > first) add_saturated(sequence.gap_ns, list_[i].idle_before_ns);
      if (!moving_ns_.empty()) sequence.mte_ns += moving_ns_[list_[i].kernel];
    }
  }

  DeviceActivity activity_;
  std::vector<StreamKernel> list_;
  std::vector<double> moving_ns_;
};

std::string sequence_text(const trace::Trace& trace, const SequenceFinder& finder,
                          const KernelSequence& sequence) {
  std::string text;
  for (std::size_t i = sequence.first; i < sequence.first + sequence.length; ++i) {
    if (!text.empty()) text += ", ";
    text += trace.strings.view(trace.kernels().op_type[finder.kernels()[i].kernel]);
  }
  return text;
}

// The same kernels twice would be counted twice: of sequences that share a first occurrence the
// best is kept.
std::vector<KernelSequence> best_sequences(std::vector<KernelSequence> all) {
  std::stable_sort(all.begin(), all.end(), [](const KernelSequence& a, const KernelSequence& b) {
    return a.gap_ns > b.gap_ns;
  });
  std::vector<KernelSequence> best;
  for (const KernelSequence& sequence : all) {
    const bool is_known = std::any_of(best.begin(), best.end(), [&](const KernelSequence& other) {
      return sequence.first < other.first + other.length &&
             other.first < sequence.first + sequence.length;
    });
    if (!is_known) best.push_back(sequence);
    if (best.size() == advice::kSequences) break;
  }
  return best;
}

}  // namespace

Findings check_fusible_operators(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto total_ns = static_cast<double>(profile_time_ns(results));
  SequenceFinder finder(trace);
  std::vector<KernelSequence> candidates;
  for (std::size_t length = advice::kShortestSequence; length <= advice::kLongestSequence;
       ++length) {
    for (const KernelSequence& sequence : finder.of_length(length)) {
      const double share = static_cast<double>(sequence.span_ns()) / std::max(total_ns, 1.0);
      const bool is_host_bound =
          sequence.busy_share() < advice::kBusyShare && share > advice::kSequenceShare;
      if (is_host_bound || sequence.mte_share() > advice::kMteShare) candidates.push_back(sequence);
    }
  }
  const std::vector<KernelSequence> best = best_sequences(std::move(candidates));
  if (best.empty()) return {};
  Finding finding{.name = "fusible_operators"};
  finding.evidence.columns = {{"kernels", "Kernels"},
                              {"count", "Count", EvidenceKind::kCount},
                              {"span", "Time with gaps", EvidenceKind::kTime},
                              {"busy", "Time of kernels", EvidenceKind::kTime},
                              {"busy_share", "Busy", EvidenceKind::kShare},
                              {"moving_share", "Moving data", EvidenceKind::kShare},
                              {"bound", "Bound by"}};
  for (const KernelSequence& sequence : best) {
    const bool is_host_bound = sequence.busy_share() < advice::kBusyShare;
    finding.evidence.rows.push_back({sequence_text(trace, finder, sequence),
                                     static_cast<std::int64_t>(sequence.count), sequence.span_ns(),
                                     sequence.busy_ns, sequence.busy_share(), sequence.mte_share(),
                                     std::string(is_host_bound ? "host" : "moving data")});
  }
  finding.gain_ns = finder.idle_ns(best);
  finding.sentence =
      fmt::format("{} of short kernels {} more than {} times, bound by the host or by moving data.",
                  count_text(best.size(), "sequence"), for_count(best.size(), "comes", "come"),
                  advice::kRepeatedSequence);
  finding.action = "Replace each by a fused operator, or run the model as a graph.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
