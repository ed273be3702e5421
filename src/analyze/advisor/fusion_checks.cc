// Sequences of kernels that come again and again, with gaps between them or bound by moving data:
// one kernel in place of several would not have the gaps.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "analyze/advisor/advised_kernels.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/kernel_metrics.h"
#include "base/count_text.h"
#include "base/saturated.h"
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
};

std::vector<StreamKernel> kernels_by_stream(const trace::Trace& trace) {
  const auto ai_cpu = trace.strings.find("AI_CPU");
  const auto& kernels = trace.kernels();
  const auto& tasks = trace.tasks();
  std::vector<StreamKernel> list;
  list.reserve(kernels.size());
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    const auto task = kernels.task[i];
    const bool fits = kernels.kind[i] == static_cast<std::uint8_t>(trace::KernelKind::kCompute) &&
                      (!ai_cpu || kernels.task_type[i] != *ai_cpu);
    list.push_back({i, fits ? to_index(kernels.op_type[i]) : 0, tasks.start_ns[task],
                    tasks.end_ns[task],
                    trace::StreamId{tasks.device[task], tasks.stream[task]}.key()});
  }
  std::stable_sort(list.begin(), list.end(), [](const StreamKernel& a, const StreamKernel& b) {
    return std::pair(a.stream, a.start_ns) < std::pair(b.stream, b.start_ns);
  });
  return list;
}

struct KernelSequence {
  std::size_t first = 0;  // Place of the first occurrence.
  std::size_t length = 0;
  std::size_t next_free = 0;  // Occurrences do not overlap.
  std::uint64_t count = 0;
  std::int64_t busy_ns = 0;
  std::int64_t span_ns = 0;
  double mte_ns = 0;  // Time that data was moved, if counters say so.

  std::int64_t gap_ns() const { return saturated_difference(span_ns, busy_ns); }
  double busy_share() const {
    return span_ns > 0 ? static_cast<double>(busy_ns) / static_cast<double>(span_ns) : 1;
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
      : list_(kernels_by_stream(trace)), moving_ns_(moving_times(trace)) {}

  const std::vector<StreamKernel>& kernels() const { return list_; }

  // Sequences of one length that come often enough, in order of first appearance.
  std::vector<KernelSequence> of_length(std::size_t length) {
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::vector<KernelSequence> found;
    std::size_t run = 0;  // Kernels up to here that may be in one sequence.
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const bool joins = i > 0 && list_[i - 1].stream == list_[i].stream && list_[i].type != 0;
      run = list_[i].type == 0 ? 0 : joins ? run + 1 : 1;
      if (run < length) continue;
      const std::size_t first = i + 1 - length;
      const auto [place, is_new] = places.try_emplace(hash_of(first, length), found.size());
      if (is_new) found.push_back({.first = first, .length = length});
      add(found[place->second], first);
    }
    std::erase_if(found, [](const KernelSequence& sequence) {
      return sequence.count <= advice::kRepeatedSequence;
    });
    return found;
  }

 private:
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
      if (!moving_ns_.empty()) sequence.mte_ns += moving_ns_[list_[i].kernel];
    }
    add_saturated(sequence.span_ns, saturated_difference(list_[first + sequence.length - 1].end_ns,
                                                         list_[first].start_ns));
  }

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
    return a.gap_ns() > b.gap_ns();
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
      const bool is_host_bound =
          sequence.busy_share()<advice::kBusyShare&& static_cast<double>(sequence.span_ns)>
              advice::kSequenceShare *
          total_ns;
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
    add_saturated(finding.gain_ns, sequence.gap_ns());
    finding.evidence.rows.push_back({sequence_text(trace, finder, sequence),
                                     static_cast<std::int64_t>(sequence.count), sequence.span_ns,
                                     sequence.busy_ns, sequence.busy_share(), sequence.mte_share(),
                                     std::string(is_host_bound ? "host" : "moving data")});
  }
  finding.sentence =
      fmt::format("{} of short kernels {} more than {} times, bound by the host or by moving data.",
                  count_text(best.size(), "sequence"), for_count(best.size(), "comes", "come"),
                  advice::kRepeatedSequence);
  finding.action = "Replace each by a fused operator, or run the model as a graph.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
