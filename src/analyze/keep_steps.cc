#include "analyze/keep_steps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/step_finder.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/device_steps.h"
#include "trace/linked/iterations.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/row_selection.h"
#include "trace/table_list.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;
using trace::Trace;

struct KeptInterval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// `intervals` are in order and do not overlap.
bool contains(const std::vector<KeptInterval>& intervals, std::int64_t time_ns) {
  const auto next = std::upper_bound(
      intervals.begin(), intervals.end(), time_ns,
      [](std::int64_t time, const KeptInterval& interval) { return time < interval.begin_ns; });
  return next != intervals.begin() && time_ns < std::prev(next)->end_ns;
}

std::vector<KeptInterval> merged(std::vector<KeptInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const KeptInterval& a, const KeptInterval& b) { return a.begin_ns < b.begin_ns; });
  std::vector<KeptInterval> result;
  for (const KeptInterval& interval : intervals) {
    if (!result.empty() && interval.begin_ns <= result.back().end_ns) {
      result.back().end_ns = std::max(result.back().end_ns, interval.end_ns);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

// The times that were chosen.
class Chosen {
 public:
  static Chosen of_steps(const trace::Steps& steps, const std::vector<std::uint8_t>& is_chosen) {
    Chosen chosen;
    chosen.finder_.emplace(steps, StepFinder::End::kExcluded);
    chosen.is_chosen_ = is_chosen;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (is_chosen[i] == 0) continue;
      const std::int64_t begin_ns = steps.host_start_ns[i];
      chosen.host_.push_back({begin_ns, steps.host_end_ns[i]});
      chosen.whole_.push_back(
          {std::min(begin_ns, steps.device_start_ns[i]), steps.device_end_ns[i]});
    }
    chosen.host_ = merged(std::move(chosen.host_));
    chosen.whole_ = merged(std::move(chosen.whole_));
    return chosen;
  }
  static Chosen of_intervals(std::vector<KeptInterval> intervals) {
    Chosen chosen;
    chosen.host_ = merged(std::move(intervals));
    chosen.whole_ = chosen.host_;
    return chosen;
  }

  bool host(std::int64_t time_ns) const { return contains(host_, time_ns); }
  bool device(std::int64_t time_ns) const {
    if (!finder_) return contains(whole_, time_ns);
    const std::uint32_t step = finder_->find(time_ns);
    return step != kNone && is_chosen_[step] != 0;
  }
  bool either(std::int64_t time_ns) const { return contains(whole_, time_ns); }
  KeptInterval span() const { return {whole_.front().begin_ns, whole_.back().end_ns}; }

 private:
  std::optional<StepFinder> finder_;
  std::vector<std::uint8_t> is_chosen_;  // By row of Steps.
  std::vector<KeptInterval> host_;
  std::vector<KeptInterval> whole_;  // On the host and on the device.
};

using trace::RowMask;

template <typename Keep>
RowMask mask_of(std::size_t rows, const Keep& keep) {
  RowMask mask(rows);
  for (std::size_t i = 0; i < rows; ++i) mask[i] = keep(i) ? 1 : 0;
  return mask;
}

// What stays of a trace when only the rows of the chosen times do.
class ChosenRows {
 public:
  ChosenRows(const Trace& trace, const Chosen& chosen) : trace_(trace), chosen_(chosen) {}

  trace::RowSelection selection() const {
    trace::RowSelection selection;
    const auto tables = trace::tables_of(trace_);
    for (std::size_t i = 0; i < tables.size(); ++i) keep_by_time(i, tables[i], selection);
    const RowMask collectives = mask_of(trace_.collective_ops().size(), [&](std::size_t i) {
      return chosen_.device(trace_.collective_ops().start_ns[i]);
    });
    RowMask tasks = task_mask(collectives);
    RowMask dequeues = dequeue_mask();
    selection.keep<trace::ApiCalls>(call_mask(dequeues, tasks, collectives));
    selection.keep<trace::Tasks>(std::move(tasks));
    selection.keep<trace::Dequeues>(std::move(dequeues));
    selection.keep<trace::DeviceMarks>(device_mark_mask());
    selection.keep<trace::Iterations>(mask_of(trace_.iterations().size(), [&](std::size_t i) {
      // The begin may not have been seen; the end always was.
      return chosen_.either(trace_.iterations().end_ns[i] - 1);
    }));
    return selection;
  }

 private:
  void keep_by_time(std::size_t number, trace::AnyConstTable table,
                    trace::RowSelection& selection) const;
  bool is_chosen(trace::TableKind kind, std::int64_t time_ns) const;
  RowMask task_mask(const RowMask& collectives) const;
  RowMask dequeue_mask() const;
  RowMask call_mask(const RowMask& dequeues, const RowMask& tasks,
                    const RowMask& collectives) const;
  RowMask device_mark_mask() const;

  const Trace& trace_;
  const Chosen& chosen_;
};

bool ChosenRows::is_chosen(trace::TableKind kind, std::int64_t time_ns) const {
  switch (kind) {
    case trace::TableKind::kHostEvents:
      return chosen_.host(time_ns);
    case trace::TableKind::kDeviceEvents:
      return chosen_.device(time_ns);
    case trace::TableKind::kEvents:
      return chosen_.either(time_ns);
    // Rates need the sample before, so samples end with the last step but go back to the first;
    // results begin at the begin of the session.
    case trace::TableKind::kSamples:
      return time_ns < chosen_.span().end_ns;
    case trace::TableKind::kParts:
    case trace::TableKind::kRecords:
      break;
  }
  return true;
}

// By the first column of times: when a row happened or began.
void ChosenRows::keep_by_time(std::size_t number, trace::AnyConstTable table,
                              trace::RowSelection& selection) const {
  const trace::TableKind kind = trace::table_facts(number).kind;
  if (kind == trace::TableKind::kParts || kind == trace::TableKind::kRecords) return;
  bool is_first = true;
  trace::for_each_time(table, [&](const std::vector<std::int64_t>& times) {
    if (!std::exchange(is_first, false)) return;
    selection.keep(number,
                   mask_of(times.size(), [&](std::size_t i) { return is_chosen(kind, times[i]); }));
  });
}

// The tasks of a collective stay and go with it.
RowMask ChosenRows::task_mask(const RowMask& collectives) const {
  RowMask mask = mask_of(trace_.tasks().size(),
                         [&](std::size_t i) { return chosen_.device(trace_.tasks().start_ns[i]); });
  const auto& parts = trace_.collective_tasks();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.task[i] != kNone) mask[parts.task[i]] = collectives[parts.op[i]];
  }
  return mask;
}

// A task is taken from the queue for the step that put it there.
RowMask ChosenRows::dequeue_mask() const {
  const auto& enqueues = trace_.enqueues();
  const auto& dequeues = trace_.dequeues();
  return mask_of(dequeues.size(), [&](std::size_t i) {
    const auto partner = dequeues.partner[i];
    return chosen_.host(partner == kNone ? dequeues.start_ns[i] : enqueues.start_ns[partner]);
  });
}

// On a thread that takes tasks from the queue, calls belong to the task they are made for.
RowMask ChosenRows::call_mask(const RowMask& dequeues, const RowMask& tasks,
                              const RowMask& collectives) const {
  std::map<std::uint32_t, std::vector<KeptInterval>> kept_times;
  std::map<std::uint32_t, std::vector<KeptInterval>> other_times;
  for (std::size_t i = 0; i < dequeues.size(); ++i) {
    auto& times = dequeues[i] != 0 ? kept_times : other_times;
    times[trace_.dequeues().tid[i]].push_back(
        {trace_.dequeues().start_ns[i], trace_.dequeues().end_ns[i]});
  }
  for (auto& [tid, times] : kept_times) times = merged(std::move(times));
  for (auto& [tid, times] : other_times) times = merged(std::move(times));
  const auto is_in = [](const auto& times_by_thread, std::uint32_t tid, std::int64_t time_ns) {
    const auto times = times_by_thread.find(tid);
    return times != times_by_thread.end() && contains(times->second, time_ns);
  };
  const auto& calls = trace_.api_calls();
  RowMask mask = mask_of(calls.size(), [&](std::size_t i) {
    if (is_in(kept_times, calls.tid[i], calls.start_ns[i])) return true;
    return chosen_.host(calls.start_ns[i]) && !is_in(other_times, calls.tid[i], calls.start_ns[i]);
  });
  // What is left of the device keeps the call that launched it.
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i] != 0 && trace_.tasks().api[i] != kNone) mask[trace_.tasks().api[i]] = 1;
  }
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const auto api = trace_.collective_ops().api[i];
    if (collectives[i] != 0 && api != kNone) mask[api] = 1;
  }
  return mask;
}

RowMask ChosenRows::device_mark_mask() const {
  const auto& marks = trace_.marks();
  const auto& on_device = trace_.device_marks();
  return mask_of(on_device.size(), [&](std::size_t i) {
    const auto mark = on_device.mark[i];
    return mark == kNone ? chosen_.device(on_device.start_ns[i])
                         : chosen_.host(marks.start_ns[mark]);
  });
}

void apply(const Chosen& chosen, trace::RowSelection selection, Trace& trace) {
  std::move(selection).apply(trace);
  trace.session.begin_ns = chosen.span().begin_ns;
  trace.session.end_ns = chosen.span().end_ns;
}

// `steps`: those that stay, if steps were chosen.
void keep(const Chosen& chosen, std::optional<RowMask> steps, Trace& trace) {
  trace::RowSelection selection = ChosenRows(trace, chosen).selection();
  if (steps) selection.keep<trace::Steps>(std::move(*steps));
  apply(chosen, std::move(selection), trace);
}

// "; it has 3 of model 1": what could have been asked for.
std::string known_iterations(const Trace& trace) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t model : trace.iterations().model_id) ++counts[model];
  std::string text;
  for (const auto& [model, count] : counts) {
    text += text.empty() ? "; it has " : ", ";
    text += std::to_string(count) + " of model " + std::to_string(model);
  }
  return text;
}

}  // namespace

Status keep_steps(Trace& trace, std::span<const StepRange> ranges) {
  const trace::Steps& steps = trace.steps();
  if (steps.size() == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the profile has no steps, so none can be chosen: leave out --steps"};
  }
  RowMask is_chosen = mask_of(steps.size(), [&](std::size_t i) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const StepRange& range) {
      return range.first <= steps.id[i] && steps.id[i] <= range.last;
    });
  });
  if (std::find(is_chosen.begin(), is_chosen.end(), 1) == is_chosen.end()) {
    const auto [first, last] = std::minmax_element(steps.id.begin(), steps.id.end());
    return Error{ErrorCode::kInvalidArgument,
                 "the profile has none of the chosen steps; it has steps " +
                     std::to_string(*first) + " to " + std::to_string(*last)};
  }
  const Chosen chosen = Chosen::of_steps(steps, is_chosen);
  keep(chosen, std::move(is_chosen), trace);
  return ok_status();
}

Status keep_range(Trace& trace, TimeRange range) {
  if (range.begin_ns >= range.end_ns) {
    return Error{ErrorCode::kInvalidArgument, "the chosen range ends before it begins"};
  }
  const Chosen chosen = Chosen::of_intervals({{range.begin_ns, range.end_ns}});
  trace::RowSelection selection = ChosenRows(trace, chosen).selection();
  selection.keep<trace::Steps>(RowMask(trace.steps().size()));
  trace::OverlapIntervals& intervals = trace.overlap_intervals();
  selection.keep<trace::OverlapIntervals>(mask_of(intervals.size(), [&](std::size_t i) {
    return intervals.start_ns[i] < range.end_ns && intervals.end_ns[i] > range.begin_ns;
  }));
  apply(chosen, std::move(selection), trace);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    intervals.start_ns[i] = std::max<std::int64_t>(intervals.start_ns[i], range.begin_ns);
    intervals.end_ns[i] = std::min<std::int64_t>(intervals.end_ns[i], range.end_ns);
  }
  return ok_status();
}

Status keep_iterations(Trace& trace, const GraphIterations& wanted) {
  constexpr std::uint64_t kStepModel = std::numeric_limits<std::uint32_t>::max();
  std::vector<KeptInterval> intervals;
  const auto add = [&](const auto& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_model = wanted.model_id == kStepModel || rows.model_id[i] == wanted.model_id;
      if (!is_model || !wanted.has(rows.index[i])) continue;
      intervals.push_back({rows.start_ns[i], rows.end_ns[i]});
    }
  };
  if (wanted.model_id == kStepModel) {
    add(trace.device_steps());
  } else {
    add(trace.iterations());
  }
  if (intervals.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the profile has no iteration " + std::to_string(wanted.first) + " of model " +
                     std::to_string(wanted.model_id) + known_iterations(trace)};
  }
  keep(Chosen::of_intervals(std::move(intervals)), std::nullopt, trace);
  return ok_status();
}

}  // namespace npuprof::analyze
