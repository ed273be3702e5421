#include "analyze/idle_causes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/idle_device.h"
#include "analyze/idle_gaps.h"
#include "analyze/idle_host.h"
#include "analyze/idle_launches.h"
#include "base/saturated.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/host_usage.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::size_t kUsualRows = 4;   // Of a gap that the host is behind.
constexpr double kStarvedPercent = 90;  // Of one core.

// When the process had less of a core than it could have used.
class StarvedTimes {
 public:
  explicit StarvedTimes(const trace::Trace& trace) {
    const trace::HostUsage& usage = trace.host_usage();
    for (std::size_t i = 0; i < usage.size(); ++i) {
      if (usage.kind[i] != static_cast<std::uint8_t>(trace::HostUsageKind::kCpu)) continue;
      if (usage.unit[i] == kNone || !std::isfinite(usage.usage_percent[i])) continue;
      if (times_ns_.empty() || times_ns_.back() < usage.time_ns[i]) {
        times_ns_.push_back(usage.time_ns[i]);
        percents_.push_back(0);
      }
      percents_.back() += usage.usage_percent[i];
    }
  }

  // A sample tells of the time since the one before it, so the first one tells nothing.
  bool at(std::int64_t time_ns) const {
    const auto sample = std::upper_bound(times_ns_.begin(), times_ns_.end(), time_ns);
    if (sample == times_ns_.begin() || sample == times_ns_.end()) return false;
    return percents_[static_cast<std::size_t>(sample - times_ns_.begin())] < kStarvedPercent;
  }

 private:
  std::vector<std::int64_t> times_ns_;
  std::vector<double> percents_;
};

bool is_same_cause(const IdleRow& a, const IdleRow& b) {
  return a.cause == b.cause && a.evidence == b.evidence && a.evidence_row == b.evidence_row &&
         a.detail == b.detail && a.thread == b.thread && a.task == b.task && a.op == b.op &&
         a.gap == b.gap && a.module == b.module && a.is_starved == b.is_starved;
}

class IdleExplainer {
 public:
  explicit IdleExplainer(const trace::Trace& trace)
      : trace_(trace), launches_(trace), host_(trace), device_(trace), starved_(trace) {}

  void explain(const IdleGap& gap) {
    IdleRow row{.start_ns = gap.start_ns,
                .end_ns = gap.end_ns,
                .gap = gap.interval,
                .step = gap.step,
                .device = gap.device};
    if (gap.copy != kNone) {
      add_copy(row, gap.copy);
      return;
    }
    const IdleLaunch launch = launch_at(gap.device, gap.end_ns);
    row.task = launch.task;
    row.op = launch.op;
    row.is_guess = launch.is_guess;
    if (!launch.is_known) {
      const bool follows = launch.task != kNone || !gap.is_trailing;
      row.cause = follows ? IdleCause::kNotRecorded : IdleCause::kNothingLaunched;
      add(row);
      return;
    }
    const std::int64_t launched_ns = std::clamp(launch.end_ns, gap.start_ns, gap.end_ns);
    const std::int64_t asked_ns = std::min(launch.asked_ns, launched_ns);
    ask_producer(row, launch, asked_ns);
    ask_launcher(row, launch, launched_ns);
    row.end_ns = gap.end_ns;
    if (row.start_ns < row.end_ns) device_.add_causes(row, rows_);
  }

  void expect(std::size_t gaps) { rows_.reserve(gaps * kUsualRows); }
  std::vector<IdleRow> take() { return std::move(rows_); }

 private:
  void add_copy(IdleRow row, std::uint32_t copy) {
    const IdleLaunch launch = launches_.of_task(copy);
    row.cause = IdleCause::kCopy;
    row.task = copy;
    row.op = launch.op;
    row.evidence = IdleEvidence::kTask;
    row.evidence_row = copy;
    row.detail = trace_.tasks().shown_type[copy];
    add(row);
  }

  // Of the tasks that end the gap, the one that was launched last: all others could have been
  // earlier.
  IdleLaunch launch_at(std::uint16_t device, std::int64_t end_ns) {
    const auto [first, last] = tasks_starting_at(trace_.tasks(), device, end_ns);
    IdleLaunch latest;
    bool latest_works = false;
    for (std::uint32_t task = first; task < last; ++task) {
      const bool works = device_.is_work(task);
      if (latest_works && !works) continue;
      IdleLaunch launch = launches_.of_task(task);
      const bool is_later = launch.is_known && (!latest.is_known || launch.end_ns > latest.end_ns);
      if (latest.task != kNone && works == latest_works && !is_later) continue;
      latest = launch;
      latest_works = works;
    }
    if (!latest_works) {
      const IdleLaunch launch = launch_of_collective(device, end_ns);
      if (launch.is_known) latest = launch;
    }
    return latest;
  }

  IdleLaunch launch_of_collective(std::uint16_t device, std::int64_t start_ns) {
    const trace::CollectiveOps& ops = trace_.collective_ops();
    std::uint32_t low = 0;
    std::uint32_t high = static_cast<std::uint32_t>(ops.size());
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (std::pair(ops.device[middle], ops.start_ns[middle]) < std::pair(device, start_ns)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == ops.size() || ops.device[low] != device || ops.start_ns[low] != start_ns) return {};
    return launches_.of_collective(low);
  }

  // From row.start_ns to `end_ns`; row.start_ns moves there.
  void ask_producer(IdleRow& row, const IdleLaunch& launch, std::int64_t end_ns) {
    while (row.start_ns < end_ns) {
      const IdleMoment moment = host_.producer_at(launch.producer, launch.tid, row.start_ns);
      add_moment(row, moment, std::min(moment.until_ns, end_ns), moment.op);
    }
  }

  void ask_launcher(IdleRow& row, const IdleLaunch& launch, std::int64_t end_ns) {
    if (row.start_ns >= end_ns) return;
    std::uint32_t frame = kNone;
    StringId module = kEmptyString;
    if (launch.producer != kNone) {
      frame = host_.python_call_at(launch.producer, saturated_difference(launch.asked_ns, 1));
      module =
          host_.module_at(launch.producer, launch.tid, saturated_difference(launch.asked_ns, 1));
    }
    while (row.start_ns < end_ns) {
      IdleMoment moment = host_.launcher_at(launch.tid, row.start_ns);
      moment.python_call = frame;
      moment.module = module;
      if (moment.cause == IdleCause::kNotRecorded) {
        moment.cause = IdleCause::kQueue;
        if (launch.enqueue != kNone) {
          moment.evidence = IdleEvidence::kEnqueue;
          moment.evidence_row = launch.enqueue;
          moment.detail = trace_.enqueues().name[launch.enqueue];
        }
      }
      add_moment(row, moment, std::min(moment.until_ns, end_ns), launch.op);
    }
  }

  void add_moment(IdleRow& row, const IdleMoment& moment, std::int64_t end_ns, std::uint32_t op) {
    IdleRow part = row;
    part.end_ns = end_ns;
    part.cause = moment.cause;
    part.evidence = moment.evidence;
    part.evidence_row = moment.evidence_row;
    part.detail = moment.detail;
    part.thread = moment.thread;
    part.op = op;
    part.python_call = moment.python_call;
    part.module = moment.module;
    part.is_starved = moment.cause != IdleCause::kSynchronization && starved_.at(part.start_ns);
    add(part);
    row.start_ns = end_ns;
  }

  void add(const IdleRow& row) {
    if (!rows_.empty() && rows_.back().end_ns == row.start_ns &&
        rows_.back().device == row.device && is_same_cause(rows_.back(), row)) {
      rows_.back().end_ns = row.end_ns;
      return;
    }
    rows_.push_back(row);
  }

  const trace::Trace& trace_;
  IdleLaunchFinder launches_;
  IdleHost host_;
  IdleDevice device_;
  StarvedTimes starved_;
  std::vector<IdleRow> rows_;
};

}  // namespace

std::string_view idle_cause_name(IdleCause cause) {
  static constexpr std::array<std::string_view, kIdleCauseCount> kNames = {
      "copy",
      "wait for another stream",
      "wait for other ranks",
      "device start latency",
      "launch cost",
      "synchronisation",
      "queue hand-over",
      "garbage collection",
      "data loader",
      "mark",
      "operator self time",
      "Python frame",
      "step boundary",
      "nothing launched",
      "host, not recorded",
      "device, not explained",
  };
  const auto index = static_cast<std::size_t>(cause);
  return index < kNames.size() ? kNames[index] : std::string_view{};
}

std::string_view idle_evidence_name(IdleEvidence evidence) {
  static constexpr std::array<std::string_view, 10> kNames = {"",
                                                              "tasks",
                                                              "collective_ops",
                                                              "api_calls",
                                                              "framework_ops",
                                                              "python_calls",
                                                              "marks",
                                                              "garbage_collections",
                                                              "enqueues",
                                                              "steps"};
  const auto index = static_cast<std::size_t>(evidence);
  return index < kNames.size() ? kNames[index] : std::string_view{};
}

bool is_of_host(IdleCause cause) {
  return cause >= IdleCause::kLaunch && cause <= IdleCause::kNotRecorded &&
         cause != IdleCause::kNothingLaunched;
}

std::vector<IdleRow> idle_causes(const trace::Trace& trace) {
  const std::vector<IdleGap> gaps = find_idle_gaps(trace);
  if (gaps.empty()) return {};
  IdleExplainer explainer(trace);
  explainer.expect(gaps.size());
  for (const IdleGap& gap : gaps) explainer.explain(gap);
  return explainer.take();
}

}  // namespace npuprof::analyze
