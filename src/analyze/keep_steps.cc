#include "analyze/keep_steps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/copy_trace.h"
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

using trace::RowMask;

template <typename Keep>
RowMask mask_of(std::size_t rows, const Keep& keep) {
  RowMask mask(rows);
  for (std::size_t i = 0; i < rows; ++i) mask[i] = keep(i) ? 1 : 0;
  return mask;
}

using ThreadTimes = std::map<std::uint32_t, TimeSet>;

ThreadTimes times_of_threads(std::map<std::uint32_t, std::vector<Interval>> intervals) {
  ThreadTimes times;
  for (auto& [tid, list] : intervals) times.emplace(tid, TimeSet(std::move(list)));
  return times;
}

// What stays of a trace when only the rows of the chosen times do.
class ChosenRows {
 public:
  ChosenRows(const Trace& trace, const ChosenTimes& chosen) : trace_(trace), chosen_(chosen) {}

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
  const ChosenTimes& chosen_;
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
      return time_ns < chosen_.span().end;
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
  std::map<std::uint32_t, std::vector<Interval>> kept;
  std::map<std::uint32_t, std::vector<Interval>> others;
  for (std::size_t i = 0; i < dequeues.size(); ++i) {
    auto& times = dequeues[i] != 0 ? kept : others;
    times[trace_.dequeues().tid[i]].push_back(
        {trace_.dequeues().start_ns[i], trace_.dequeues().end_ns[i]});
  }
  const ThreadTimes kept_times = times_of_threads(std::move(kept));
  const ThreadTimes other_times = times_of_threads(std::move(others));
  const auto is_in = [](const ThreadTimes& times, std::uint32_t tid, std::int64_t time_ns) {
    const auto thread = times.find(tid);
    return thread != times.end() && thread->second.contains(time_ns);
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

void apply(const ChosenTimes& chosen, trace::RowSelection selection, Trace& trace) {
  const Interval span = chosen.span();
  std::move(selection).apply(trace);
  trace.session.begin_ns = span.begin;
  trace.session.end_ns = span.end;
}

trace::RowSelection step_selection(const Trace& trace, const ChosenTimes& chosen) {
  trace::RowSelection selection = ChosenRows(trace, chosen).selection();
  selection.keep<trace::Steps>(mask_of(trace.steps().size(), [&](std::size_t i) {
    return chosen.has_step(static_cast<std::uint32_t>(i));
  }));
  return selection;
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
  if (ranges.empty()) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(const ChosenTimes chosen, ChosenTimes::of_steps(trace.steps(), ranges));
  apply(chosen, step_selection(trace, chosen), trace);
  return ok_status();
}

Trace copy_of_steps(const Trace& trace, const ChosenTimes& chosen) {
  Trace copy = trace::copy_of(trace);
  apply(chosen, step_selection(trace, chosen), copy);
  return copy;
}

Status keep_range(Trace& trace, TimeRange range) {
  if (range.begin_ns >= range.end_ns) {
    return Error{ErrorCode::kInvalidArgument, "the chosen range ends before it begins"};
  }
  const ChosenTimes chosen = ChosenTimes::of_ranges({{range.begin_ns, range.end_ns}});
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
  std::vector<Interval> intervals;
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
  const ChosenTimes chosen = ChosenTimes::of_ranges(std::move(intervals));
  apply(chosen, ChosenRows(trace, chosen).selection(), trace);
  return ok_status();
}

}  // namespace npuprof::analyze
