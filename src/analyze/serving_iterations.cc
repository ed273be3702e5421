#include "analyze/serving_iterations.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// Names are read once each.
class ServingNames {
 public:
  explicit ServingNames(const StringPool& strings)
      : strings_(strings), is_read_(strings.size()), names_(strings.size()) {}

  const ServingName& at(StringId name) {
    const std::uint32_t index = to_index(name);
    if (!is_read_[index]) {
      is_read_[index] = true;
      names_[index] = read_serving_name(strings_.view(name));
    }
    return names_[index];
  }

 private:
  const StringPool& strings_;
  std::vector<bool> is_read_;
  std::vector<ServingName> names_;
};

ServingIteration named_iteration(const ServingName& name, StringId id) {
  ServingIteration iteration{.phase = name.phase, .name = id};
  iteration.tokens = name.tokens;
  if (name.tokens) iteration.token_source = TokenSource::kName;
  return iteration;
}

// Sorts iterations by start and renumbers what refers to them.
void sort_iterations(FoundIterations& found) {
  std::vector<std::uint32_t> order(found.iterations.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return found.iterations[a].start_ns < found.iterations[b].start_ns;
  });
  std::vector<std::uint32_t> new_number(order.size());
  std::vector<ServingIteration> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    new_number[order[i]] = i;
    sorted.push_back(found.iterations[order[i]]);
  }
  found.iterations = std::move(sorted);
  for (auto* column : {&found.iteration_of_task, &found.iteration_of_op}) {
    for (std::uint32_t& iteration : *column) {
      if (iteration != kNone) iteration = new_number[iteration];
    }
  }
}

// The iteration that began last at or before a time, if it had not ended.
std::uint32_t iteration_at(const std::vector<ServingIteration>& iterations, std::int64_t time_ns) {
  const auto next = std::upper_bound(iterations.begin(), iterations.end(), time_ns,
                                     [](std::int64_t time, const ServingIteration& iteration) {
                                       return time < iteration.start_ns;
                                     });
  if (next == iterations.begin()) return kNone;
  const auto place = static_cast<std::uint32_t>(std::prev(next) - iterations.begin());
  return time_ns <= iterations[place].end_ns ? place : kNone;
}

// By the operator that asked for a task, as launches may come after the range's end; by the time of
// the launch where there is none.
void assign_by_time(const trace::Trace& trace, FoundIterations& found) {
  const trace::Tasks& tasks = trace.tasks();
  std::vector<std::int64_t> asked_ns(tasks.launch_ns.begin(), tasks.launch_ns.end());
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    const std::uint32_t call = tasks.api[task];
    if (asked_ns[task] == 0 && call < trace.api_calls().size()) {
      asked_ns[task] = trace.api_calls().start_ns[call];
    }
  }
  const trace::KernelOps& pairs = trace.kernel_ops();
  for (std::uint32_t row = 0; row < pairs.size(); ++row) {
    asked_ns[pairs.task[row]] = trace.framework_ops().start_ns[pairs.op[row]];
  }
  found.iteration_of_task.resize(tasks.size(), kNone);
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    if (asked_ns[task] == 0 || found.iteration_of_task[task] != kNone) continue;
    found.iteration_of_task[task] = iteration_at(found.iterations, asked_ns[task]);
  }
}

void assign_ops_by_time(const trace::Trace& trace, FoundIterations& found) {
  for (const std::int64_t start_ns : trace.framework_ops().start_ns) {
    found.iteration_of_op.push_back(iteration_at(found.iterations, start_ns));
  }
}

}  // namespace

FoundIterations iterations_of_ranges(const trace::Trace& trace) {
  const trace::FrameworkOps& ops = trace.framework_ops();
  ServingNames names(trace.strings);
  FoundIterations found;
  found.iteration_of_op.assign(ops.size(), kNone);
  // Parents come before what is inside them.
  for (const std::uint32_t op : link::ops_in_nesting_order(ops)) {
    const std::uint32_t parent = ops.parent[op];
    if (parent < ops.size() && found.iteration_of_op[parent] != kNone) {
      found.iteration_of_op[op] = found.iteration_of_op[parent];
      continue;
    }
    const ServingName& name = names.at(ops.name[op]);
    if (name.phase == ServingPhase::kUnknown) continue;
    found.iteration_of_op[op] = static_cast<std::uint32_t>(found.iterations.size());
    ServingIteration& iteration =
        found.iterations.emplace_back(named_iteration(name, ops.name[op]));
    iteration.tid = ops.tid[op];
    iteration.start_ns = ops.start_ns[op];
    iteration.end_ns = std::max(ops.start_ns[op], ops.end_ns[op]);
  }
  if (found.iterations.empty()) return {};
  found.iteration_of_task.assign(trace.tasks().size(), kNone);
  const trace::KernelOps& pairs = trace.kernel_ops();
  for (std::uint32_t row = 0; row < pairs.size(); ++row) {
    found.iteration_of_task[pairs.task[row]] = found.iteration_of_op[pairs.op[row]];
  }
  sort_iterations(found);
  // Of graphs and threads that record no operators.
  assign_by_time(trace, found);
  return found;
}

FoundIterations iterations_of_marks(const trace::Trace& trace) {
  const trace::Marks& marks = trace.marks();
  ServingNames names(trace.strings);
  FoundIterations found;
  for (std::uint32_t row = 0; row < marks.size(); ++row) {
    if (marks.end_ns[row] <= marks.start_ns[row]) continue;
    const ServingName& name = names.at(marks.message[row]);
    if (name.phase == ServingPhase::kUnknown) continue;
    ServingIteration& iteration =
        found.iterations.emplace_back(named_iteration(name, marks.message[row]));
    iteration.tid = marks.tid[row];
    iteration.start_ns = marks.start_ns[row];
    iteration.end_ns = marks.end_ns[row];
  }
  sort_iterations(found);
  // Ranges inside others are parts of them.
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  std::erase_if(found.iterations, [&](const ServingIteration& iteration) {
    if (iteration.end_ns <= end_ns) return true;
    end_ns = iteration.end_ns;
    return false;
  });
  if (found.iterations.empty()) return {};
  assign_by_time(trace, found);
  assign_ops_by_time(trace, found);
  return found;
}

FoundIterations iterations_of_steps(const trace::Trace& trace) {
  const trace::Steps& steps = trace.steps();
  FoundIterations found;
  for (std::uint32_t row = 0; row < steps.size(); ++row) {
    ServingIteration& iteration = found.iterations.emplace_back();
    iteration.start_ns = steps.host_start_ns[row];
    iteration.end_ns = std::max(steps.host_start_ns[row], steps.host_end_ns[row]);
  }
  if (found.iterations.empty()) return {};
  sort_iterations(found);
  assign_by_time(trace, found);
  assign_ops_by_time(trace, found);
  return found;
}

FoundIterations iterations_of_replays(const trace::Trace& trace) {
  const trace::Tasks& tasks = trace.tasks();
  const trace::ApiCalls& calls = trace.api_calls();
  FoundIterations found;
  found.iteration_of_task.assign(tasks.size(), kNone);
  std::vector<std::uint32_t> iteration_of_call(calls.size(), kNone);
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    const std::uint32_t call = tasks.api[task];
    if (tasks.model_id[task] == kNone || call >= calls.size()) continue;
    if (iteration_of_call[call] == kNone) {
      iteration_of_call[call] = static_cast<std::uint32_t>(found.iterations.size());
      ServingIteration& iteration = found.iterations.emplace_back();
      iteration.tid = calls.tid[call];
      iteration.start_ns = calls.start_ns[call];
      iteration.end_ns = calls.end_ns[call];
    }
    found.iteration_of_task[task] = iteration_of_call[call];
  }
  if (found.iterations.empty()) return {};
  sort_iterations(found);
  return found;
}

}  // namespace npuprof::analyze
