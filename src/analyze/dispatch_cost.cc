#include "analyze/dispatch_cost.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/saturated.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

class DispatchCosts {
 public:
  DispatchCosts(const trace::Trace& trace, const ChosenTimes& chosen)
      : trace_(trace),
        chosen_(chosen),
        self_ns_(link::host_self_ns(trace.framework_ops())),
        place_of_name_(trace.strings.size(), kNone) {}

  void add_synchronizations(const std::vector<SynchronizationCall>& calls) {
    for (const SynchronizationCall& sync : calls) {
      if (sync.op == kNone || !is_chosen(sync.op)) continue;
      const std::int64_t length_ns = length(trace_.api_calls(), sync.call);
      add_saturated(cost_of(sync.op).synchronize_ns, length_ns);
      take_from_self(sync.op, length_ns);
    }
  }

  void add_queue(HostLead& lead) {
    const trace::Enqueues& enqueues = trace_.enqueues();
    const trace::Dequeues& dequeues = trace_.dequeues();
    std::vector<std::int64_t> waits;
    for (std::uint32_t row = 0; row < enqueues.size(); ++row) {
      if (!chosen_.host(enqueues.start_ns[row])) continue;
      const std::uint32_t op = enqueues.op[row];
      const std::uint32_t dequeue = enqueues.partner[row];
      const std::int64_t enqueue_ns = length(enqueues, row);
      std::int64_t wait_ns = 0;
      std::int64_t dequeue_ns = 0;
      if (dequeue < dequeues.size()) {
        wait_ns = std::max<std::int64_t>(
            0, saturated_difference(dequeues.start_ns[dequeue], enqueues.end_ns[row]));
        dequeue_ns = length(dequeues, dequeue);
        waits.push_back(wait_ns);
        add_saturated(lead.consumer_ns, dequeue_ns);
      }
      if (op >= trace_.framework_ops().size() || !is_chosen(op)) continue;
      DispatchCost& cost = cost_of(op);
      add_saturated(cost.enqueue_ns, enqueue_ns);
      add_saturated(cost.queue_wait_ns, wait_ns);
      add_saturated(cost.dequeue_ns, dequeue_ns);
      take_from_self(op, enqueue_ns);
    }
    lead.queued = waits.size();
    if (waits.empty()) return;
    const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
    std::nth_element(waits.begin(), middle, waits.end());
    lead.queue_wait_median_ns = *middle;
  }

  // One call may launch many tasks, as for a graph: it counts once.
  void add_launches() {
    const trace::KernelOps& pairs = trace_.kernel_ops();
    std::vector<bool> is_counted(trace_.api_calls().size());
    for (std::uint32_t row = 0; row < pairs.size(); ++row) {
      if (!is_chosen(pairs.op[row])) continue;
      const std::uint32_t task = pairs.task[row];
      DispatchCost& cost = cost_of(pairs.op[row]);
      if (trace_.tasks().kernel[task] != kNone) ++cost.kernels;
      const std::uint32_t call = trace_.tasks().api[task];
      if (call >= is_counted.size() || is_counted[call]) continue;
      is_counted[call] = true;
      add_saturated(cost.launch_ns, length(trace_.api_calls(), call));
    }
  }

  std::vector<DispatchCost> finish() {
    const trace::FrameworkOps& ops = trace_.framework_ops();
    std::vector<bool> is_step(ops.size());
    for (const std::uint32_t op : trace_.steps().op) {
      if (op < is_step.size()) is_step[op] = true;
    }
    for (std::uint32_t row = 0; row < ops.size(); ++row) {
      // A step's own time is all that is no operator.
      if (is_step[row] || !is_chosen(row)) continue;
      DispatchCost& cost = cost_of(row);
      ++cost.calls;
      add_saturated(cost.self_ns, self_ns_[row]);
    }
    std::erase_if(costs_, [](const DispatchCost& cost) { return cost.calls == 0; });
    std::sort(costs_.begin(), costs_.end(), [&](const DispatchCost& a, const DispatchCost& b) {
      return std::forward_as_tuple(b.host_ns(), trace_.strings.view(a.name)) <
             std::forward_as_tuple(a.host_ns(), trace_.strings.view(b.name));
    });
    return std::move(costs_);
  }

 private:
  template <typename Table>
  static std::int64_t length(const Table& table, std::uint32_t row) {
    return std::max<std::int64_t>(0, saturated_difference(table.end_ns[row], table.start_ns[row]));
  }

  bool is_chosen(std::uint32_t op) const {
    return chosen_.host(trace_.framework_ops().start_ns[op]);
  }

  DispatchCost& cost_of(std::uint32_t op) {
    const StringId name = trace_.framework_ops().name[op];
    std::uint32_t& place = place_of_name_[to_index(name)];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(costs_.size());
      costs_.push_back({.name = name});
    }
    return costs_[place];
  }
  void take_from_self(std::uint32_t op, std::int64_t length_ns) {
    self_ns_[op] = std::max<std::int64_t>(0, self_ns_[op] - length_ns);
  }

  const trace::Trace& trace_;
  const ChosenTimes& chosen_;
  std::vector<std::int64_t> self_ns_;         // By row of FrameworkOps.
  std::vector<std::uint32_t> place_of_name_;  // By string id.
  std::vector<DispatchCost> costs_;
};

}  // namespace

std::int64_t DispatchCost::producer_ns() const { return saturated_sum(self_ns, enqueue_ns); }
std::int64_t DispatchCost::host_ns() const { return saturated_sum(producer_ns(), dequeue_ns); }

bool is_synchronization(std::string_view call_name) {
  return call_name.find("Synchronize") != std::string_view::npos || call_name == "StreamSync" ||
         call_name == "aclrtMemcpy";
}

std::vector<SynchronizationCall> synchronization_calls(const trace::Trace& trace) {
  enum : std::uint8_t { kNotAsked, kWaits, kReturns };
  const trace::ApiCalls& calls = trace.api_calls();
  std::vector<std::uint8_t> answers(trace.strings.size(), kNotAsked);
  std::unordered_map<std::uint32_t, std::int64_t> end_on_thread;  // Of the last one.
  const link::ThreadOrder op_rows = link::ops_by_thread(trace.framework_ops());
  link::OpFinder finder(trace.framework_ops(), op_rows);
  // A step is not who asked for something.
  const std::unordered_set<std::uint32_t> steps(trace.steps().op.begin(), trace.steps().op.end());
  std::vector<SynchronizationCall> found;
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    std::uint8_t& answer = answers[to_index(calls.name[row])];
    if (answer == kNotAsked) {
      answer = is_synchronization(trace.strings.view(calls.name[row])) ? kWaits : kReturns;
    }
    if (answer != kWaits) continue;
    const auto [end_ns, is_first] = end_on_thread.try_emplace(calls.tid[row], 0);
    if (!is_first && calls.end_ns[row] <= end_ns->second) continue;
    end_ns->second = calls.end_ns[row];
    const std::uint32_t op =
        finder.innermost(calls.tid[row], calls.start_ns[row], calls.end_ns[row]);
    found.push_back({row, steps.contains(op) ? kNone : op});
  }
  return found;
}

void add_dispatch_costs(const trace::Trace& trace, const std::vector<SynchronizationCall>& calls,
                        const ChosenTimes& chosen, HostLead& lead) {
  DispatchCosts costs(trace, chosen);
  costs.add_synchronizations(calls);
  costs.add_queue(lead);
  costs.add_launches();
  lead.costs = costs.finish();
  for (const DispatchCost& cost : lead.costs) add_saturated(lead.producer_ns, cost.producer_ns());
}

}  // namespace npuprof::analyze
