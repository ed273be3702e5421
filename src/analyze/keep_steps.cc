#include "analyze/keep_steps.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/step_finder.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;
using trace::Trace;

struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// `intervals` are in order and do not overlap.
bool contains(const std::vector<TimeSpan>& intervals, std::int64_t time_ns) {
  const auto next = std::upper_bound(
      intervals.begin(), intervals.end(), time_ns,
      [](std::int64_t time, const TimeSpan& interval) { return time < interval.begin_ns; });
  return next != intervals.begin() && time_ns < std::prev(next)->end_ns;
}

std::vector<TimeSpan> merged(std::vector<TimeSpan> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.begin_ns < b.begin_ns; });
  std::vector<TimeSpan> result;
  for (const TimeSpan& interval : intervals) {
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
  static Chosen of_intervals(std::vector<TimeSpan> intervals) {
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
  TimeSpan span() const { return {whole_.front().begin_ns, whole_.back().end_ns}; }

 private:
  std::optional<StepFinder> finder_;
  std::vector<std::uint8_t> is_chosen_;  // By row of Steps.
  std::vector<TimeSpan> host_;
  std::vector<TimeSpan> whole_;  // On the host and on the device.
};

using Mask = std::vector<std::uint8_t>;  // 1 = the row is kept.

// Where the rows of a table went.
class KeptRows {
 public:
  explicit KeptRows(const Mask& mask) : new_row_(mask.size(), kNone) {
    for (std::uint32_t row = 0; row < mask.size(); ++row) {
      if (mask[row] == 0) continue;
      new_row_[row] = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back(row);
    }
  }
  template <trace::Columnar Table>
  void keep_in(Table& table) const {
    trace::reorder_rows(table, rows_);
  }
  // Likewise for a column that is kept apart from the table.
  template <typename T>
  void keep_in(std::vector<T>& column) const {
    std::vector<T> kept;
    kept.reserve(rows_.size());
    for (const std::uint32_t row : rows_) kept.push_back(column[row]);
    column = std::move(kept);
  }
  // Row numbers that refer to the table; kNone where the row is gone.
  void renumber(std::vector<std::uint32_t>& references) const {
    for (std::uint32_t& row : references) row = row == kNone ? kNone : new_row_[row];
  }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> new_row_;
};

template <typename Keep>
Mask mask_of(std::size_t rows, const Keep& keep) {
  Mask mask(rows);
  for (std::size_t i = 0; i < rows; ++i) mask[i] = keep(i) ? 1 : 0;
  return mask;
}

template <trace::Columnar Table, typename Keep>
void keep_where(Table& table, const Keep& keep) {
  KeptRows(mask_of(trace::row_count(table), keep)).keep_in(table);
}

// By the column that says when a row happened or began.
template <trace::Columnar Table, std::predicate<std::int64_t> Keep>
void keep_by_time(Table& table, const Keep& keep) {
  std::vector<std::int64_t> times;
  Table::columns(table, [&](std::string_view name, const auto& column) {
    if constexpr (std::same_as<std::decay_t<decltype(column)>, std::vector<std::int64_t>>) {
      if (times.empty() && (name == "time_ns" || name == "start_ns")) times = column;
    }
  });
  keep_where(table, [&](std::size_t i) { return keep(times[i]); });
}

class TraceFilter {
 public:
  TraceFilter(Trace& trace, const Chosen& chosen) : trace_(trace), chosen_(chosen) {}

  void apply() {
    const Mask collectives = mask_of(trace_.collective_ops.size(), [&](std::size_t i) {
      return chosen_.device(trace_.collective_ops.start_ns[i]);
    });
    const Mask tasks = task_mask(collectives);
    const Mask enqueues = mask_of(trace_.enqueues.size(), [&](std::size_t i) {
      return chosen_.host(trace_.enqueues.start_ns[i]);
    });
    const Mask dequeues = mask_of(trace_.dequeues.size(), [&](std::size_t i) {
      const std::uint32_t partner = trace_.dequeues.partner[i];
      return partner == kNone ? chosen_.host(trace_.dequeues.start_ns[i]) : enqueues[partner] != 0;
    });
    keep_calls(call_mask(dequeues, tasks, collectives));
    keep_queue(enqueues, dequeues);
    keep_operators();
    keep_memory();
    keep_tasks(tasks, collectives);
    keep_marks();
    keep_others();
  }

 private:
  Mask task_mask(const Mask& collectives) const;
  Mask call_mask(const Mask& dequeues, const Mask& tasks, const Mask& collectives) const;
  void keep_calls(const Mask& mask);
  void keep_queue(const Mask& enqueues, const Mask& dequeues);
  void keep_operators();
  void keep_memory();
  void keep_tasks(const Mask& tasks, const Mask& collectives);
  void keep_marks();
  void keep_others();

  Trace& trace_;
  const Chosen& chosen_;
};

Mask TraceFilter::task_mask(const Mask& collectives) const {
  Mask mask = mask_of(trace_.tasks.size(),
                      [&](std::size_t i) { return chosen_.device(trace_.tasks.start_ns[i]); });
  const auto& parts = trace_.collective_tasks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.task[i] != kNone) mask[parts.task[i]] = collectives[parts.op[i]];
  }
  return mask;
}

// On a thread that takes tasks from the queue, calls belong to the task they are made for.
Mask TraceFilter::call_mask(const Mask& dequeues, const Mask& tasks,
                            const Mask& collectives) const {
  std::map<std::uint32_t, std::vector<TimeSpan>> kept_times;
  std::map<std::uint32_t, std::vector<TimeSpan>> other_times;
  for (std::size_t i = 0; i < dequeues.size(); ++i) {
    auto& times = dequeues[i] != 0 ? kept_times : other_times;
    times[trace_.dequeues.tid[i]].push_back(
        {trace_.dequeues.start_ns[i], trace_.dequeues.end_ns[i]});
  }
  for (auto& [tid, times] : kept_times) times = merged(std::move(times));
  for (auto& [tid, times] : other_times) times = merged(std::move(times));
  const auto is_in = [](const auto& times_by_thread, std::uint32_t tid, std::int64_t time_ns) {
    const auto times = times_by_thread.find(tid);
    return times != times_by_thread.end() && contains(times->second, time_ns);
  };
  const auto& calls = trace_.api_calls;
  Mask mask = mask_of(calls.size(), [&](std::size_t i) {
    if (is_in(kept_times, calls.tid[i], calls.start_ns[i])) return true;
    return chosen_.host(calls.start_ns[i]) && !is_in(other_times, calls.tid[i], calls.start_ns[i]);
  });
  // What is left of the device keeps the call that launched it.
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i] != 0 && trace_.tasks.api[i] != kNone) mask[trace_.tasks.api[i]] = 1;
  }
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const std::uint32_t api = trace_.collective_ops.api[i];
    if (collectives[i] != 0 && api != kNone) mask[api] = 1;
  }
  return mask;
}

void TraceFilter::keep_calls(const Mask& mask) {
  const KeptRows kept(mask);
  kept.keep_in(trace_.api_calls);
  kept.renumber(trace_.tasks.api);
  kept.renumber(trace_.collective_ops.api);
  kept.renumber(trace_.launches.api);
  kept.renumber(trace_.launched_collectives.api);
  kept.renumber(trace_.launched_collectives.kfc_api);
}

void TraceFilter::keep_queue(const Mask& enqueues, const Mask& dequeues) {
  const KeptRows kept_enqueues(enqueues);
  const KeptRows kept_dequeues(dequeues);
  kept_enqueues.keep_in(trace_.enqueues);
  kept_dequeues.keep_in(trace_.dequeues);
  kept_dequeues.renumber(trace_.enqueues.partner);
  kept_enqueues.renumber(trace_.dequeues.partner);
}

void TraceFilter::keep_operators() {
  const KeptRows kept(mask_of(trace_.framework_ops.size(), [&](std::size_t i) {
    return chosen_.host(trace_.framework_ops.start_ns[i]);
  }));
  kept.keep_in(trace_.framework_ops);
  kept.renumber(trace_.framework_ops.parent);
  kept.renumber(trace_.enqueues.op);
  kept.renumber(trace_.dequeues.op);
  kept.renumber(trace_.memory_events.owner);
  kept.renumber(trace_.steps.op);
  kept.renumber(trace_.kernel_ops.op);
  kept.renumber(trace_.forward_backward.forward);
  kept.renumber(trace_.forward_backward.backward);
  keep_where(trace_.forward_backward, [&](std::size_t i) {
    return trace_.forward_backward.forward[i] != kNone &&
           trace_.forward_backward.backward[i] != kNone;
  });
}

void TraceFilter::keep_memory() {
  const KeptRows kept(mask_of(trace_.memory_events.size(), [&](std::size_t i) {
    return chosen_.host(trace_.memory_events.time_ns[i]);
  }));
  kept.keep_in(trace_.memory_events);
  auto& blocks = trace_.allocations;
  kept.renumber(blocks.malloc_event);
  kept.renumber(blocks.free_event);
  kept.renumber(blocks.block_free_event);
  keep_where(blocks, [&](std::size_t i) { return blocks.malloc_event[i] != kNone; });
}

void TraceFilter::keep_tasks(const Mask& tasks, const Mask& collectives) {
  const KeptRows kept_tasks(tasks);
  const KeptRows kept_kernels(mask_of(
      trace_.kernels.size(), [&](std::size_t i) { return tasks[trace_.kernels.task[i]] != 0; }));
  const KeptRows kept_ops(collectives);
  kept_tasks.keep_in(trace_.tasks);
  kept_kernels.keep_in(trace_.kernels);
  for (auto& metric : trace_.kernel_metrics.columns) kept_kernels.keep_in(metric.values);
  kept_ops.keep_in(trace_.collective_ops);
  kept_tasks.renumber(trace_.kernels.task);
  kept_kernels.renumber(trace_.tasks.kernel);
  kept_kernels.renumber(trace_.aicpu_nodes.kernel);
  kept_kernels.renumber(trace_.cache_counters.kernel);
  keep_where(trace_.cache_counters,
             [&](std::size_t i) { return trace_.cache_counters.kernel[i] != kNone; });
  auto& parts = trace_.collective_tasks;
  kept_ops.renumber(parts.op);
  kept_tasks.renumber(parts.task);
  keep_where(parts, [&](std::size_t i) { return parts.op[i] != kNone; });
  auto& pairs = trace_.kernel_ops;
  kept_tasks.renumber(pairs.task);
  keep_where(pairs, [&](std::size_t i) { return pairs.op[i] != kNone && pairs.task[i] != kNone; });
}

void TraceFilter::keep_marks() {
  const Mask marks = mask_of(trace_.marks.size(),
                             [&](std::size_t i) { return chosen_.host(trace_.marks.start_ns[i]); });
  const auto& on_device = trace_.device_marks;
  keep_where(trace_.device_marks, [&](std::size_t i) {
    const std::uint32_t mark = on_device.mark[i];
    return mark == kNone ? chosen_.device(on_device.start_ns[i]) : marks[mark] != 0;
  });
  const KeptRows kept(marks);
  kept.keep_in(trace_.marks);
  kept.renumber(trace_.device_marks.mark);
}

void TraceFilter::keep_others() {
  const auto host = [&](std::int64_t time_ns) { return chosen_.host(time_ns); };
  const auto device = [&](std::int64_t time_ns) { return chosen_.device(time_ns); };
  const auto either = [&](std::int64_t time_ns) { return chosen_.either(time_ns); };
  keep_by_time(trace_.python_calls, host);
  keep_by_time(trace_.garbage_collections, either);
  keep_by_time(trace_.program_counters, either);
  keep_by_time(trace_.os_calls, host);
  keep_by_time(trace_.system_memory, either);
  keep_by_time(trace_.process_memory, either);
  keep_by_time(trace_.cpu_samples, either);
  keep_by_time(trace_.operator_memory, host);
  keep_by_time(trace_.overlap_intervals, device);
  keep_by_time(trace_.aicpu_nodes, either);
  keep_by_time(trace_.data_queue_events, either);
  keep_by_time(trace_.kernel_communication_turns, either);
  keep_by_time(trace_.block_intervals, either);
  keep_by_time(trace_.fusion_parts, either);
  keep_by_time(trace_.ccu_missions, either);
  keep_by_time(trace_.dpu_tasks, host);
  keep_by_time(trace_.pipe_intervals, either);
  keep_by_time(trace_.device_steps, either);
  keep_by_time(trace_.iteration_ranges, either);
  const auto& iterations = trace_.iterations;
  keep_where(trace_.iterations, [&](std::size_t i) {
    // The begin may not have been seen; the end always was.
    return chosen_.either(iterations.end_ns[i] - 1);
  });
  // Rates need the sample before, so samples end with the last step but go back to the first;
  // results begin at the begin of the session.
  const TimeSpan span = chosen_.span();
  const auto not_after = [&](std::int64_t time_ns) { return time_ns < span.end_ns; };
  keep_by_time(trace_.host_usage, not_after);
  keep_by_time(trace_.system_cpu_times, not_after);
  keep_by_time(trace_.process_cpu_times, not_after);
  keep_by_time(trace_.frequencies, not_after);
  keep_by_time(trace_.memory_bandwidth, not_after);
  keep_by_time(trace_.device_memory, not_after);
  keep_by_time(trace_.module_memory, not_after);
  keep_by_time(trace_.link_samples, not_after);
  keep_by_time(trace_.rate_samples, not_after);
  keep_by_time(trace_.core_samples, not_after);
  keep_by_time(trace_.ccu_channels, not_after);
  keep_by_time(trace_.instruction_samples, not_after);
  trace_.session.begin_ns = span.begin_ns;
  trace_.session.end_ns = span.end_ns;
}

}  // namespace

Status keep_steps(Trace& trace, std::span<const StepRange> ranges) {
  const trace::Steps& steps = trace.steps;
  if (steps.size() == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the profile has no steps, so none can be chosen: leave out --steps"};
  }
  Mask is_chosen = mask_of(steps.size(), [&](std::size_t i) {
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
  TraceFilter(trace, Chosen::of_steps(steps, is_chosen)).apply();
  KeptRows(is_chosen).keep_in(trace.steps);
  return ok_status();
}

Status keep_iteration(Trace& trace, std::uint64_t model_id, std::uint64_t index) {
  constexpr std::uint64_t kStepModel = std::numeric_limits<std::uint32_t>::max();
  std::vector<TimeSpan> intervals;
  const auto add = [&](const auto& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_model = model_id == kStepModel || rows.model_id[i] == model_id;
      if (!is_model || rows.index[i] != index) continue;
      intervals.push_back({rows.start_ns[i], rows.end_ns[i]});
    }
  };
  if (model_id == kStepModel) {
    add(trace.device_steps);
  } else {
    add(trace.iterations);
  }
  if (intervals.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the profile has no iteration " +
                                                  std::to_string(index) + " of model " +
                                                  std::to_string(model_id)};
  }
  TraceFilter(trace, Chosen::of_intervals(std::move(intervals))).apply();
  return ok_status();
}

}  // namespace npuprof::analyze
