#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analyze/graph_front_end.h"
#include "analyze/head_overhead.h"
#include "base/saturated.h"
#include "trace/framework/steps.h"

namespace npuprof::analyze {
namespace {

struct SumOfParts {
  double sum = 0;
  std::uint64_t count = 0;

  void add(const std::optional<std::int64_t>& value) {
    if (!value) return;
    sum += static_cast<double>(*value);
    ++count;
  }
  std::optional<double> mean() const {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  }
};

struct HeadGroup {
  std::vector<const GraphExecution*> executions;
};

template <typename Part>
std::optional<double> mean_of(const HeadGroup& group, Part part) {
  SumOfParts sum;
  for (const GraphExecution* execution : group.executions) {
    sum.add(std::optional<std::int64_t>(part(*execution)));
  }
  return sum.mean();
}

std::optional<double> share_of_steps(const trace::Trace& trace, const GraphSteps& steps,
                                     const HeadGroup& group) {
  std::set<std::uint32_t> rows;
  std::int64_t head_ns = 0;
  for (const GraphExecution* execution : group.executions) {
    const std::uint32_t row = steps.find(execution->start_ns);
    if (row == trace::kNone || !execution->head_ns) continue;
    rows.insert(row);
    add_saturated(head_ns, *execution->head_ns);
  }
  std::int64_t steps_ns = 0;
  for (const std::uint32_t row : rows) {
    add_saturated(steps_ns, saturated_difference(trace.steps().host_end_ns[row],
                                                 trace.steps().host_start_ns[row]));
  }
  if (steps_ns <= 0) return std::nullopt;
  return static_cast<double>(head_ns) / static_cast<double>(steps_ns);
}

// The value that 95 % do not exceed: of n in order, number ceil(0.95 n).
std::int64_t head_p95(const HeadGroup& group) {
  std::vector<std::int64_t> heads;
  for (const GraphExecution* execution : group.executions) {
    if (execution->head_ns) heads.push_back(*execution->head_ns);
  }
  if (heads.empty()) return 0;
  std::sort(heads.begin(), heads.end());
  return heads[(heads.size() * 95 + 99) / 100 - 1];
}

HeadOverheadSummary summarize_group(const HeadGroup& group) {
  const GraphExecution& first = *group.executions.front();
  HeadOverheadSummary row{.pid = first.pid, .tid = first.tid, .group = first.group};
  row.mode = first.mode;
  row.is_cold = first.is_cold();
  row.is_exact = first.is_exact();
  row.calls = group.executions.size();
  const auto mean = [&](auto member) {
    return mean_of(group, [&](const GraphExecution& execution) { return execution.*member; });
  };
  row.front_end_ns = mean(&GraphExecution::front_end_ns);
  row.compile_ns = mean(&GraphExecution::compile_ns);
  row.torchair_py_ns = mean(&GraphExecution::torchair_py_ns);
  row.load_ns = mean(&GraphExecution::load_ns);
  row.torchair_cpp_ns = mean(&GraphExecution::torchair_cpp_ns);
  row.ge_ns = mean(&GraphExecution::ge_ns);
  row.ge_launch_ns = mean(&GraphExecution::ge_launch_ns);
  row.post_cpp_ns = mean(&GraphExecution::post_cpp_ns);
  row.post_py_ns = mean(&GraphExecution::post_py_ns);
  row.replay_ns = mean(&GraphExecution::replay_ns);
  row.first_kernel_ns = mean(&GraphExecution::first_kernel_ns);
  row.head_ns = mean(&GraphExecution::head_ns);
  row.head_p95_ns = head_p95(group);
  for (const GraphExecution* execution : group.executions) {
    add_saturated(row.head_sum_ns, execution->head_ns.value_or(0));
  }
  return row;
}

}  // namespace

std::vector<HeadOverheadSummary> summarize_head_overhead(const trace::Trace& trace,
                                                         const HeadOverhead& overhead) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::string>;
  std::map<Key, std::size_t> order_of_group;  // By first appearance.
  std::map<std::tuple<std::size_t, GraphMode, bool, bool>, HeadGroup> groups;
  for (const GraphExecution& execution : overhead.executions) {
    if (!execution.is_whole()) continue;
    const auto [group, is_new] = order_of_group.try_emplace(
        {execution.pid, execution.tid, execution.group}, order_of_group.size());
    groups[{group->second, execution.mode, execution.is_cold(), !execution.is_exact()}]
        .executions.push_back(&execution);
  }
  const GraphSteps steps(trace);
  std::vector<HeadOverheadSummary> rows;
  for (const auto& [key, group] : groups) {
    HeadOverheadSummary& row = rows.emplace_back(summarize_group(group));
    row.share_of_step = share_of_steps(trace, steps, group);
  }
  return rows;
}

}  // namespace npuprof::analyze
