// What keeps the device waiting: dispatch, synchronization, garbage collections, data.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyze/advisor/advised_calls.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/idle_causes.h"
#include "analyze/kernel_class.h"
#include "analyze/step_time.h"
#include "base/count_text.h"
#include "base/saturated.h"
#include "format/host/levels.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"

namespace npuprof::analyze {
namespace {

double as_ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

// Free time of a profile that says nothing of garbage: gaps in which the host called nothing.
struct SilentGap {
  Interval time;
  std::int64_t calls = 0;
  std::int64_t calls_ns = 0;
};

// Calls for the steps before and after fill gaps as well.
std::vector<SilentGap> silent_gaps(const SharedResults& results) {
  const auto& calls = results.whole().api_calls();
  std::vector<SilentGap> gaps;
  for (const Interval& gap : free_intervals(results.trace())) {
    const std::int64_t length = saturated_difference(gap.end, gap.begin);
    if (length < advice::kSilentGapNs) continue;
    SilentGap silent{.time = gap};
    // Calls are in order of start; long ones that began before do not matter here.
    auto i = static_cast<std::size_t>(
        std::lower_bound(calls.start_ns.begin(), calls.start_ns.end(), gap.begin) -
        calls.start_ns.begin());
    for (; i < calls.size() && calls.start_ns[i] < gap.end; ++i) {
      if (calls.level[i] != format::host::kLevelAcl) continue;
      ++silent.calls;
      add_saturated(silent.calls_ns, saturated_difference(calls.end_ns[i], calls.start_ns[i]));
    }
    const auto ns = static_cast<double>(length);
    if (static_cast<double>(silent.calls_ns) >= advice::kSilentCallShare * ns ||
        static_cast<double>(silent.calls) >= advice::kSilentCallsPerUs * ns / 1000) {
      continue;
    }
    gaps.push_back(silent);
  }
  return gaps;
}

Findings guess_garbage(const SharedResults& results) {
  const std::vector<SilentGap> gaps = silent_gaps(results);
  // Without calls at all nothing can be said about when there are none.
  if (gaps.empty() || results.whole().api_calls().size() == 0) return {};
  Finding finding{.name = "garbage_collection"};
  finding.evidence.columns = {{"start", "Start of the gap", EvidenceKind::kMoment},
                              {"length", "Length", EvidenceKind::kTime},
                              {"calls", "Calls in it", EvidenceKind::kCount}};
  for (const SilentGap& gap : gaps) {
    const std::int64_t length = saturated_difference(gap.time.end, gap.time.begin);
    add_saturated(finding.gain_ns, length);
    if (finding.evidence.rows.size() < advice::kEvidenceRows) {
      finding.evidence.rows.push_back({gap.time.begin, length, gap.calls});
    }
  }
  finding.sentence = fmt::format(
      "In {} of {:.3f} ms together the host called nothing: perhaps Python collected garbage.",
      count_text(gaps.size(), "gap"), as_ms(finding.gain_ns));
  finding.action =
      "Record garbage collections (gc_detect_threshold) to be sure; then call gc.collect() at "
      "times "
      "of your choice, or gc.freeze() and higher thresholds.";
  return {std::move(finding)};
}

// What the host does keeps the device waiting for the next step, or behind the last kernel of one:
// it is looked for in the whole profile, and concerns a step if it happens in the step's time on
// the host or on the device, or while the device is free in it.
class StepSpans {
 public:
  explicit StepSpans(const SharedResults& results) : is_all_(&results.trace() == &results.whole()) {
    if (is_all_) return;
    const auto& steps = results.trace().steps();
    spans_ = free_intervals(results.trace());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      spans_.push_back(
          {std::min(steps.host_start_ns[i], steps.device_start_ns[i]), steps.device_end_ns[i]});
    }
    spans_ = merge_intervals(std::move(spans_));
  }

  bool concerns(const Interval& time) const { return is_all_ || overlaps_any(spans_, time); }

 private:
  bool is_all_;
  std::vector<Interval> spans_;
};

// Ranges of the framework and marks of the user that load data.
std::vector<std::pair<Interval, StringId>> loading_ranges(const SharedResults& results) {
  const trace::Trace& trace = results.whole();
  const StepSpans steps(results);
  std::vector<std::uint8_t> is_loading(trace.strings.size());
  for (std::uint32_t id = 0; id < is_loading.size(); ++id) {
    is_loading[id] = contains_word(trace.strings.view(StringId{id}), "dataloader") ? 1 : 0;
  }
  std::vector<std::pair<Interval, StringId>> ranges;
  const auto add = [&](const auto& starts, const auto& ends, const auto& names) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (is_loading[to_index(names[i])] == 0) continue;
      const Interval time{starts[i], ends[i]};
      if (saturated_difference(time.end, time.begin) > advice::kDataLoaderNs &&
          steps.concerns(time)) {
        ranges.emplace_back(time, names[i]);
      }
    }
  };
  const auto& ops = trace.framework_ops();
  add(ops.start_ns, ops.end_ns, ops.name);
  const auto& marks = trace.marks();
  add(marks.start_ns, marks.end_ns, marks.message);
  return ranges;
}

// When the device did nothing in the steps, and for no other reason than that data was loaded, or
// none that is known.
std::vector<Interval> idle_without_data(const SharedResults& results) {
  const trace::Trace& whole = results.whole();
  const auto& numbers = results.trace().steps().id;
  const std::set<std::int64_t> chosen(numbers.begin(), numbers.end());
  std::vector<Interval> times;
  for (const IdleRow& row : idle_causes(whole)) {
    const bool may_be = row.cause == IdleCause::kDataLoader ||
                        row.cause == IdleCause::kNothingLaunched ||
                        row.cause == IdleCause::kNotRecorded;
    if (!may_be) continue;
    if (row.step != trace::kNone && !chosen.contains(whole.steps().id[row.step])) continue;
    times.push_back({row.start_ns, row.end_ns});
  }
  return merge_intervals(std::move(times));
}

}  // namespace

Findings check_free_time(const SharedResults& results) {
  Finding finding{.name = "free_time"};
  finding.evidence.columns = {{"device", "Device", EvidenceKind::kCount},
                              {"step", "Step", EvidenceKind::kCount},
                              {"total", "Total", EvidenceKind::kTime},
                              {"free", "Free", EvidenceKind::kTime},
                              {"share", "Share", EvidenceKind::kShare}};
  std::int64_t total_ns = 0;
  for (const StepTime& step : results.steps()) {
    const std::int64_t step_ns =
        saturated_sum(saturated_sum(step.computing_ns, step.not_overlapped_ns), step.free_ns);
    add_saturated(total_ns, step_ns);
    add_saturated(finding.gain_ns, step.free_ns);
    if (finding.evidence.rows.size() == advice::kEvidenceRows || step_ns <= 0) continue;
    finding.evidence.rows.push_back(
        {std::int64_t{step.device}, step.step.value_or(-1), step_ns, step.free_ns,
         static_cast<double>(step.free_ns) / static_cast<double>(step_ns)});
  }
  const double share =
      total_ns > 0 ? static_cast<double>(finding.gain_ns) / static_cast<double>(total_ns) : 0;
  if (share <= advice::kFreeShare) return {};
  finding.sentence =
      fmt::format("The device does nothing for {:.1f} % of the time: {:.3f} ms of {:.3f} ms.",
                  100 * share, as_ms(finding.gain_ns), as_ms(total_ns));
  finding.action =
      "Find out what the host does meanwhile (mode idle): loading data, launching too slowly, "
      "waiting for results.";
  return {std::move(finding)};
}

Findings check_operator_dispatch(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  constexpr std::array<std::string_view, 1> kCalls = {"aclopCompileAndExecute"};
  Finding finding{.name = "operator_dispatch", .evidence = call_evidence(trace, kCalls)};
  const CallSums sums = sums_of_calls(trace, kCalls[0]);
  if (static_cast<std::uint64_t>(sums.count) < advice::kDispatchCalls) return {};
  finding.gain_ns = sums.total_ns;
  finding.sentence =
      fmt::format("{} went through {}, which looks for a kernel each time: {:.3f} ms.",
                  count_text(static_cast<std::uint64_t>(sums.count), "operator"), kCalls[0],
                  as_ms(sums.total_ns));
  finding.action =
      "Turn compilation at run time off: torch_npu.npu.set_compile_mode(jit_compile=False).";
  return {std::move(finding)};
}

Findings check_sync_batch_norm(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto& ops = trace.framework_ops();
  std::vector<std::uint8_t> is_wanted(trace.strings.size());
  for (std::uint32_t id = 0; id < is_wanted.size(); ++id) {
    is_wanted[id] = contains_word(trace.strings.view(StringId{id}), "syncbatchnorm") ? 1 : 0;
  }
  std::unordered_map<std::uint32_t, CallSums> by_name;
  std::uint64_t count = 0;
  Finding finding{.name = "sync_batch_norm"};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (is_wanted[to_index(ops.name[i])] == 0) continue;
    const std::int64_t ns = saturated_difference(ops.end_ns[i], ops.start_ns[i]);
    CallSums& sums = by_name[to_index(ops.name[i])];
    ++sums.count;
    add_saturated(sums.total_ns, ns);
    add_saturated(finding.gain_ns, ns);
    ++count;
  }
  if (count < advice::kSyncBatchNorms) return {};
  finding.evidence.columns = {{"operator", "Operator"},
                              {"count", "Count", EvidenceKind::kCount},
                              {"total", "Host time", EvidenceKind::kTime}};
  for (std::uint32_t id = 0; id < is_wanted.size(); ++id) {
    const auto found = by_name.find(id);
    if (found == by_name.end()) continue;
    finding.evidence.rows.push_back({std::string(trace.strings.view(StringId{id})),
                                     found->second.count, found->second.total_ns});
  }
  finding.sentence =
      fmt::format("SyncBatchNorm was called {} times, each with collectives.", count);
  finding.action =
      "Use BatchNorm where the batch of one rank is large enough, or a SyncBatchNorm that "
      "communicates once.";
  return {std::move(finding)};
}

Findings check_synchronize_stream(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  constexpr std::string_view kSynchronize = "aclrtSynchronizeStream";
  const auto& calls = trace.api_calls();
  const auto launch = trace.strings.find("launch");
  if (!launch) return {};
  std::unordered_map<std::uint32_t, bool> was_launch;  // By thread.
  std::uint64_t launches = 0;
  std::uint64_t synchronized = 0;
  Finding finding{.name = "synchronize_stream"};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.level[i] == format::host::kLevelNode && calls.name[i] == *launch) {
      ++launches;
      was_launch[calls.tid[i]] = true;
    } else if (calls.level[i] == format::host::kLevelAcl) {
      bool& pending = was_launch[calls.tid[i]];
      if (pending && trace.strings.view(calls.name[i]).starts_with(kSynchronize)) {
        ++synchronized;
        add_saturated(finding.gain_ns, saturated_difference(calls.end_ns[i], calls.start_ns[i]));
      }
      pending = false;
    }
  }
  if (launches < advice::kFewestLaunches ||
      static_cast<double>(synchronized) <=
          advice::kSynchronizedLaunches * static_cast<double>(launches)) {
    return {};
  }
  constexpr std::array<std::string_view, 2> kNames = {"aclrtSynchronizeStream",
                                                      "aclrtSynchronizeStreamWithTimeout"};
  finding.evidence = call_evidence(trace, kNames);
  finding.sentence = fmt::format("The host waited for the device directly after {} of {} launches.",
                                 synchronized, launches);
  finding.action =
      "Unset ASCEND_LAUNCH_BLOCKING, and avoid calls that need results on the host (item, print, "
      "copies that block) inside the loop.";
  return {std::move(finding)};
}

Findings check_garbage_collection(const SharedResults& results) {
  const auto& collections = results.whole().garbage_collections();
  if (collections.size() == 0) return guess_garbage(results);
  const StepSpans steps(results);
  Finding finding{.name = "garbage_collection"};
  finding.evidence.columns = {{"start", "Start", EvidenceKind::kMoment},
                              {"length", "Length", EvidenceKind::kTime}};
  std::vector<Interval> times;
  std::int64_t total_ns = 0;
  for (std::size_t i = 0; i < collections.size(); ++i) {
    const std::int64_t length =
        saturated_difference(collections.end_ns[i], collections.start_ns[i]);
    const Interval time{collections.start_ns[i], collections.end_ns[i]};
    if (length < advice::kGarbageNs || !steps.concerns(time)) continue;
    add_saturated(total_ns, length);
    times.push_back(time);
    if (times.size() <= advice::kEvidenceRows) {
      finding.evidence.rows.push_back({collections.start_ns[i], length});
    }
  }
  if (times.empty()) return {};
  const std::size_t count = times.size();
  finding.gain_ns = free_during(results.trace(), std::move(times));
  finding.sentence = fmt::format(
      "Python collected garbage {} times for at least {} ms, {:.3f} ms together; the device had "
      "nothing to do for {:.3f} ms of that.",
      count, advice::kGarbageNs / 1'000'000, as_ms(total_ns), as_ms(finding.gain_ns));
  finding.action =
      "Call gc.freeze() after the first steps and raise the thresholds with gc.set_threshold(), or "
      "turn the collector off and call gc.collect() on all ranks at the same step.";
  return {std::move(finding)};
}

Findings check_dataloader(const SharedResults& results) {
  const trace::Trace& trace = results.whole();
  auto ranges = loading_ranges(results);
  if (ranges.empty()) return {};
  std::stable_sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    return saturated_difference(a.first.end, a.first.begin) >
           saturated_difference(b.first.end, b.first.begin);
  });
  Finding finding{.name = "dataloader"};
  finding.evidence.columns = {{"name", "Range"},
                              {"start", "Start", EvidenceKind::kMoment},
                              {"length", "Length", EvidenceKind::kTime}};
  std::vector<Interval> times;
  for (const auto& [time, name] : ranges) times.push_back(time);
  times = merge_intervals(std::move(times));
  // A framework's range and the user's mark around it are one loading: the longer one tells of it.
  std::vector<std::uint8_t> is_told(times.size());
  for (const auto& [time, name] : ranges) {
    const auto loading = std::prev(std::partition_point(
        times.begin(), times.end(),
        [&time = time](const Interval& one) { return one.begin <= time.begin; }));
    if (std::exchange(is_told[static_cast<std::size_t>(loading - times.begin())], 1) != 0) continue;
    if (finding.evidence.rows.size() == advice::kEvidenceRows) break;
    finding.evidence.rows.push_back({std::string(trace.strings.view(name)), time.begin,
                                     saturated_difference(time.end, time.begin)});
  }
  const std::size_t count = times.size();
  const std::int64_t total_ns = total_length(times);
  finding.gain_ns = overlap_length(times, idle_without_data(results));
  finding.sentence =
      fmt::format("Data was loaded for more than {} ms at a time {}, {:.3f} ms together.",
                  advice::kDataLoaderNs / 1'000'000, count_text(count, "time"), as_ms(total_ns));
  finding.action =
      "Load with more workers (num_workers), pin memory, prefetch, and keep data on fast disks.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
