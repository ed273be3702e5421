#include "analyze/host_lead.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_set>

#include "analyze/dispatch_cost.h"
#include "analyze/step_finder.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

struct KernelLead {
  std::uint16_t device;
  std::uint32_t task;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t launched_ns;  // End of the launching call.
  std::int64_t lead_ns;
};

// In order of device and start.
std::vector<KernelLead> kernel_leads(const trace::Trace& trace, const ChosenTimes& chosen,
                                     HostLead& result) {
  const trace::Kernels& kernels = trace.kernels();
  const trace::Tasks& tasks = trace.tasks();
  const trace::ApiCalls& calls = trace.api_calls();
  std::vector<KernelLead> leads;
  leads.reserve(kernels.size());
  for (std::uint32_t row = 0; row < kernels.size(); ++row) {
    if (kernels.kind[row] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) continue;
    const std::uint32_t task = kernels.task[row];
    const std::uint32_t call = tasks.api[task];
    const bool has_call = call < calls.size();
    const std::int64_t launched_ns = has_call ? calls.end_ns[call] : tasks.launch_ns[task];
    const bool counts = chosen.device(tasks.start_ns[task]);
    if (launched_ns == 0) {
      if (counts) ++result.not_known;
      continue;
    }
    if (!has_call && counts) ++result.by_launch_time;
    leads.push_back({tasks.device[task], task, tasks.start_ns[task], tasks.end_ns[task],
                     launched_ns, saturated_difference(tasks.start_ns[task], launched_ns)});
  }
  std::stable_sort(leads.begin(), leads.end(), [](const KernelLead& a, const KernelLead& b) {
    return std::tie(a.device, a.start_ns) < std::tie(b.device, b.start_ns);
  });
  return leads;
}

std::int64_t median_lead(std::span<const KernelLead> leads, std::vector<std::int64_t>& values) {
  values.clear();
  for (const KernelLead& lead : leads) values.push_back(lead.lead_ns);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_starved(const KernelLead& lead) { return lead.lead_ns < kStarvedLeadNs; }

// Of the kernels of one device, at least one.
void add_curve(std::span<const KernelLead> leads, std::size_t buckets, HostLead& result) {
  const std::int64_t begin_ns = leads.front().start_ns;
  const std::int64_t span_ns = saturated_difference(leads.back().start_ns, begin_ns);
  const auto count = static_cast<std::int64_t>(std::clamp<std::size_t>(leads.size(), 1, buckets));
  const std::int64_t width_ns = span_ns / count + 1;
  std::vector<std::int64_t> values;
  std::size_t first = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    LeadBucket bucket{.device = leads.front().device};
    bucket.begin_ns = saturated_sum(begin_ns, saturated_product(i, width_ns));
    bucket.end_ns = saturated_sum(bucket.begin_ns, width_ns);
    std::size_t end = first;
    while (end < leads.size() && (i + 1 == count || leads[end].start_ns < bucket.end_ns)) ++end;
    const auto inside = leads.subspan(first, end - first);
    first = end;
    bucket.kernels = inside.size();
    if (!inside.empty()) {
      bucket.starved =
          static_cast<std::uint64_t>(std::count_if(inside.begin(), inside.end(), is_starved));
      bucket.median_ns = median_lead(inside, values);
      bucket.min_ns = *std::min_element(values.begin(), values.end());
    }
    result.curve.push_back(bucket);
  }
}

// Finds the call that the host waited in between two launches.
class WaitFinder {
 public:
  WaitFinder(const trace::Trace& trace, const std::vector<SynchronizationCall>& calls)
      : table_(trace.api_calls()), calls_(calls) {
    std::int64_t latest_ns = INT64_MIN;
    for (const SynchronizationCall& call : calls) {
      latest_ns = std::max(latest_ns, table_.end_ns[call.call]);
      latest_end_ns_.push_back(latest_ns);
    }
  }

  // The one that fills most of [begin_ns, end_ns]; null if there is none.
  const SynchronizationCall* find(std::int64_t begin_ns, std::int64_t end_ns) const {
    const SynchronizationCall* longest = nullptr;
    std::int64_t longest_ns = 0;
    auto place = static_cast<std::size_t>(
        std::lower_bound(latest_end_ns_.begin(), latest_end_ns_.end(), begin_ns) -
        latest_end_ns_.begin());
    for (; place < calls_.size() && table_.start_ns[calls_[place].call] <= end_ns; ++place) {
      const std::uint32_t row = calls_[place].call;
      const std::int64_t inside_ns = saturated_difference(std::min(end_ns, table_.end_ns[row]),
                                                          std::max(begin_ns, table_.start_ns[row]));
      if (inside_ns <= longest_ns) continue;
      longest = &calls_[place];
      longest_ns = inside_ns;
    }
    return longest;
  }

 private:
  const trace::ApiCalls& table_;
  const std::vector<SynchronizationCall>& calls_;
  std::vector<std::int64_t> latest_end_ns_;  // Of this one and all before it.
};

class LostLeads {
 public:
  LostLeads(const trace::Trace& trace, const std::vector<SynchronizationCall>& calls)
      : trace_(trace),
        waits_(trace, calls),
        steps_(trace.steps(), StepFinder::End::kIncluded),
        op_of_task_(trace.tasks().size(), kNone) {
    const trace::KernelOps& pairs = trace.kernel_ops();
    for (std::uint32_t row = 0; row < pairs.size(); ++row) {
      op_of_task_[pairs.task[row]] = pairs.op[row];
    }
  }

  // Of the kernels of one device.
  void find(std::span<const KernelLead> leads, std::vector<LostLead>& lost) {
    bool is_lost = false;
    std::int64_t busy_until_ns = leads.front().start_ns;
    const KernelLead* before = nullptr;
    for (const KernelLead& lead : leads) {
      if (is_lost && lead.lead_ns >= kHealthyLeadNs) is_lost = false;
      if (!is_lost && is_starved(lead)) {
        is_lost = true;
        lost.push_back(begin_of(lead, before));
      }
      if (is_lost) {
        LostLead& interval = lost.back();
        ++interval.kernels;
        interval.end_ns = std::max(interval.end_ns, lead.end_ns);
        const std::int64_t gap_ns = saturated_difference(lead.start_ns, busy_until_ns);
        add_saturated(interval.idle_ns, std::max<std::int64_t>(0, gap_ns));
      }
      busy_until_ns = std::max(busy_until_ns, lead.end_ns);
      before = &lead;
    }
  }

 private:
  LostLead begin_of(const KernelLead& lead, const KernelLead* before) const {
    LostLead interval{.device = lead.device, .begin_ns = lead.start_ns};
    const std::uint32_t step = steps_.find(lead.start_ns);
    if (step != kNone) interval.step = trace_.steps().id[step];
    interval.op = op_of_task_[lead.task];
    if (before == nullptr) {
      interval.cause = LostLead::Cause::kFirstKernel;
      return interval;
    }
    interval.lead_before_ns = before->lead_ns;
    const SynchronizationCall* wait = waits_.find(before->launched_ns, lead.launched_ns);
    if (wait == nullptr) return interval;
    interval.cause = LostLead::Cause::kSynchronization;
    interval.call = wait->call;
    interval.op = wait->op;
    interval.host_after_ns = std::max<std::int64_t>(
        0, saturated_difference(lead.launched_ns, trace_.api_calls().end_ns[wait->call]));
    return interval;
  }

  const trace::Trace& trace_;
  WaitFinder waits_;
  StepFinder steps_;
  std::vector<std::uint32_t> op_of_task_;
};

// Kernels of one device after those of another.
template <typename Visit>
void for_each_device(const std::vector<KernelLead>& leads, const Visit& visit) {
  for (auto begin = leads.begin(); begin != leads.end();) {
    const auto end = std::find_if(
        begin, leads.end(), [&](const KernelLead& lead) { return lead.device != begin->device; });
    visit(std::span(begin, end));
    begin = end;
  }
}

// What is lost in the chosen times; why, and how much, the kernels before them say too.
std::vector<LostLead> chosen_lost_leads(const trace::Trace& trace,
                                        const std::vector<KernelLead>& leads,
                                        const std::vector<SynchronizationCall>& calls,
                                        const ChosenTimes& chosen) {
  std::vector<LostLead> lost;
  LostLeads finder(trace, calls);
  for_each_device(leads,
                  [&](std::span<const KernelLead> of_device) { finder.find(of_device, lost); });
  std::erase_if(lost, [&](const LostLead& one) { return !chosen.device(one.begin_ns); });
  return lost;
}

// Calls of the chosen times, and those that lost a lead in them.
void leave_chosen_calls(const trace::Trace& trace, const HostLead& result,
                        const ChosenTimes& chosen, std::vector<SynchronizationCall>& calls) {
  std::unordered_set<std::uint32_t> losing;
  for (const LostLead& lost : result.lost) losing.insert(lost.call);
  std::erase_if(calls, [&](const SynchronizationCall& call) {
    return !chosen.host(trace.api_calls().start_ns[call.call]) && !losing.contains(call.call);
  });
}

void add_synchronizations(const trace::Trace& trace, const std::vector<SynchronizationCall>& calls,
                          HostLead& result) {
  const auto name_of_op = [&](std::uint32_t op) {
    return op == kNone ? kEmptyString : trace.framework_ops().name[op];
  };
  std::map<std::pair<StringId, StringId>, Synchronization> rows;
  for (const SynchronizationCall& call : calls) {
    const StringId name = trace.api_calls().name[call.call];
    Synchronization& row = rows[{name, name_of_op(call.op)}];
    ++row.calls;
    add_saturated(row.total_ns, saturated_difference(trace.api_calls().end_ns[call.call],
                                                     trace.api_calls().start_ns[call.call]));
  }
  for (const LostLead& lost : result.lost) {
    if (lost.call == kNone) continue;
    Synchronization& row = rows[{trace.api_calls().name[lost.call], name_of_op(lost.op)}];
    ++row.lost_leads;
    add_saturated(row.idle_ns, lost.idle_ns);
  }
  for (auto& [key, row] : rows) {
    std::tie(row.name, row.op) = key;
    result.synchronizations.push_back(row);
  }
  std::stable_sort(
      result.synchronizations.begin(), result.synchronizations.end(),
      [&](const Synchronization& a, const Synchronization& b) {
        return std::forward_as_tuple(b.idle_ns, b.total_ns, trace.strings.view(a.name)) <
               std::forward_as_tuple(a.idle_ns, a.total_ns, trace.strings.view(b.name));
      });
}

}  // namespace

HostLead host_lead(const trace::Trace& trace, std::size_t buckets, const ChosenTimes& chosen) {
  HostLead result;
  std::vector<KernelLead> leads = kernel_leads(trace, chosen, result);
  std::vector<SynchronizationCall> calls = synchronization_calls(trace);
  result.lost = chosen_lost_leads(trace, leads, calls, chosen);
  std::erase_if(leads, [&](const KernelLead& lead) { return !chosen.device(lead.start_ns); });
  result.kernels = leads.size();
  if (leads.empty()) return result;
  std::vector<std::int64_t> values;
  result.median_ns = median_lead(leads, values);
  result.starved =
      static_cast<std::uint64_t>(std::count_if(leads.begin(), leads.end(), is_starved));
  for_each_device(leads, [&](std::span<const KernelLead> of_device) {
    add_curve(of_device, std::max<std::size_t>(1, buckets), result);
  });
  leave_chosen_calls(trace, result, chosen, calls);
  add_synchronizations(trace, calls, result);
  add_dispatch_costs(trace, calls, chosen, result);
  return result;
}

}  // namespace npuprof::analyze
