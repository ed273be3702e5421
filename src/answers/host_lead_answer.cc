#include "answers/host_lead_answer.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "analyze/host_lead.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernels.h"

namespace npuprof::answers {
namespace {

using analyze::DispatchCost;
using analyze::HostLead;
using analyze::LeadBucket;
using analyze::LostLead;

// A queue whose tasks wait longer than this is never empty: who takes them out is too slow.
constexpr std::int64_t kLongQueueWaitNs = 100'000;

char lead_sign(const LeadBucket& bucket) {
  if (bucket.kernels == 0) return ' ';
  if (bucket.median_ns < analyze::kStarvedLeadNs) return '_';
  if (bucket.median_ns < analyze::kHealthyLeadNs) return '.';
  if (bucket.median_ns < 1'000'000) return '-';
  return bucket.median_ns < 10'000'000 ? '=' : '#';
}

Table lead_line_table(const HostLead& lead) {
  Table table("lead_line", "Median lead over time");
  table.in_files = false;
  table.integer("device", "Device");
  table.text("lead", "Lead");
  std::map<std::uint16_t, std::string> lines;
  for (const LeadBucket& bucket : lead.curve) lines[bucket.device] += lead_sign(bucket);
  for (const auto& [device, line] : lines) table.row(device, line);
  table.notes.push_back(
      "_ below 20 us: the device waits; . below 100 us; - below 1 ms; = below 10 ms; # more; "
      "blank: "
      "no kernels.");
  return table;
}

Table lead_curve_table(const HostLead& lead) {
  Table table("host_lead", "Lead of the host over time");
  table.on_terminal = false;
  table.integer("device", "Device");
  table.moment("begin", "Begin");
  table.moment("end", "End");
  table.integer("kernels", "Kernels");
  table.duration("min", "Smallest lead");
  table.duration("median", "Median lead");
  table.share("starved", "Within 20 us");
  for (const LeadBucket& bucket : lead.curve) {
    table.row(bucket.device, bucket.begin_ns, bucket.end_ns, bucket.kernels);
    if (bucket.kernels == 0) {
      table.skip().skip().skip();
    } else {
      table.row(bucket.min_ns, bucket.median_ns,
                static_cast<double>(bucket.starved) / static_cast<double>(bucket.kernels));
    }
  }
  return table;
}

std::string_view lost_cause_text(LostLead::Cause cause) {
  switch (cause) {
    case LostLead::Cause::kFirstKernel:
      return "first kernel";
    case LostLead::Cause::kSynchronization:
      return "synchronisation";
    case LostLead::Cause::kHost:
      break;
  }
  return "host too slow";
}

Table lost_lead_table(const trace::Trace& trace, const HostLead& lead) {
  Table table("lost_leads", "Where the lead is lost");
  table.usual_rows = 10;
  table.integer("device", "Device");
  table.integer("step", "Step");
  table.moment("begin", "Begin");
  table.duration("length", "Length");
  table.integer("kernels", "Kernels");
  table.duration("idle", "Idle");
  table.duration("lead_before", "Lead before");
  table.text("cause", "Cause");
  table.text("call", "Call");
  table.text("operator", "Operator");
  table.duration("host_after", "Host after it");
  for (const LostLead& lost : lead.lost) {
    table.row(lost.device, lost.step, lost.begin_ns,
              saturated_difference(lost.end_ns, lost.begin_ns), lost.kernels, lost.idle_ns,
              lost.lead_before_ns, lost_cause_text(lost.cause),
              lost.call == trace::kNone ? std::string_view()
                                        : trace.strings.view(trace.api_calls().name[lost.call]),
              lost.op == trace::kNone ? std::string_view()
                                      : trace.strings.view(trace.framework_ops().name[lost.op]),
              lost.host_after_ns);
  }
  table.notes.push_back(
      "From a kernel that started within 20 us of its launch to the next one with a lead of 100 "
      "us.");
  return table;
}

Table synchronization_table(const trace::Trace& trace, const HostLead& lead) {
  Table table("synchronizations", "Calls that wait for the device");
  table.text("call", "Call");
  table.text("operator", "Operator");
  table.integer("calls", "Calls");
  table.duration("total", "Total");
  table.integer("lost_leads", "Leads lost");
  table.duration("idle", "Device idle after it");
  table.comparison = {
      .names = {"call", "operator"}, .also = {}, .sums = {"calls", "total", "idle"}, .values = {}};
  for (const analyze::Synchronization& row : lead.synchronizations) {
    table.row(trace.strings.view(row.name), trace.strings.view(row.op), row.calls, row.total_ns,
              row.lost_leads, row.idle_ns);
  }
  return table;
}

Table dispatch_cost_table(const trace::Trace& trace, const HostLead& lead) {
  Table table("dispatch_cost", "What operators cost the host");
  table.text("operator", "Operator");
  table.integer("calls", "Calls");
  table.integer("kernels", "Kernels");
  table.duration("host", "Host");
  table.duration("host_per_call", "Per call");
  table.duration("self", "Self");
  table.duration("enqueue", "Enqueue");
  table.duration("queue_wait", "Wait in queue");
  table.duration("dequeue", "Dequeue");
  table.duration("launch", "Launch");
  table.duration("synchronize", "Synchronisation");
  table.comparison = {
      .names = {"operator"}, .also = {}, .sums = {"calls", "host"}, .values = {"host_per_call"}};
  for (const DispatchCost& cost : lead.costs) {
    const auto calls = static_cast<std::int64_t>(std::max<std::uint64_t>(1, cost.calls));
    table.row(trace.strings.view(cost.name), cost.calls, cost.kernels, cost.host_ns(),
              cost.host_ns() / calls, cost.self_ns, cost.enqueue_ns, cost.queue_wait_ns,
              cost.dequeue_ns, cost.launch_ns, cost.synchronize_ns);
  }
  table.notes.push_back(
      "Host = self + enqueue + dequeue. Self is without inner operators, enqueues and "
      "synchronisation; launches are part of dequeue, or of self where there is no queue.");
  return table;
}

std::string lead_sentence(const HostLead& lead) {
  const double starved = static_cast<double>(lead.starved) / static_cast<double>(lead.kernels);
  std::string_view verdict = "the host runs ahead";
  if (starved >= 0.5) {
    verdict = "the device waits for the host";
  } else if (starved >= 0.1) {
    verdict = "the host loses its lead at times";
  }
  return fmt::format(
      "{:.1f} % of {} started within 20 us of their launch, and the median lead is {}: {}.",
      100 * starved, count_text(lead.kernels, "kernel"), duration_text(lead.median_ns), verdict);
}

void add_lost_sentence(const trace::Trace& trace, const HostLead& lead, Answer& answer) {
  std::uint64_t by_synchronization = 0;
  for (const LostLead& lost : lead.lost) {
    by_synchronization += lost.cause == LostLead::Cause::kSynchronization ? 1 : 0;
  }
  if (lead.lost.empty()) return;
  std::string text = fmt::format("The lead is lost {}, {} of them by synchronisation",
                                 count_text(lead.lost.size(), "time"), by_synchronization);
  if (by_synchronization > 0) {
    const analyze::Synchronization& worst = lead.synchronizations.front();
    text += fmt::format("; most idle time follows {}", trace.strings.view(worst.name));
    if (worst.op != kEmptyString) text += fmt::format(" of {}", trace.strings.view(worst.op));
    text += fmt::format(" ({:.2f} ms)", static_cast<double>(worst.idle_ns) / 1e6);
  }
  answer.sentences.push_back(text + ".");
}

void add_queue_sentence(const HostLead& lead, Answer& answer) {
  if (lead.queued == 0) return;
  const double wait_us = static_cast<double>(lead.queue_wait_median_ns) / 1e3;
  if (lead.queue_wait_median_ns >= kLongQueueWaitNs) {
    answer.sentences.push_back(fmt::format(
        "Tasks wait {:.1f} us in the queue: the thread that launches them is the slower one.",
        wait_us));
  } else {
    answer.sentences.push_back(fmt::format(
        "Tasks wait only {:.1f} us in the queue: the thread that launches keeps up with Python.",
        wait_us));
  }
}

Result<Answer> answer_host_lead(const Request& request) {
  if (request.trace.kernels().size() == 0) {
    return Error{ErrorCode::kNoData, "the profile has no kernels"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const analyze::ChosenTimes chosen, request.chosen_times());
  const HostLead lead = analyze::host_lead(request.trace, analyze::kLeadBuckets, chosen);
  if (lead.kernels == 0) {
    return Error{ErrorCode::kNoData, "no kernel of the profile has the call that launched it"};
  }
  Answer answer;
  answer.sentences.push_back(lead_sentence(lead));
  add_lost_sentence(request.trace, lead, answer);
  add_queue_sentence(lead, answer);
  if (lead.not_known > 0) {
    answer.sentences.push_back(fmt::format("{} {} left out: the launch was not recorded.",
                                           count_text(lead.not_known, "kernel"),
                                           for_count(lead.not_known, "is", "are")));
  }
  answer.tables.push_back(lead_line_table(lead));
  answer.tables.push_back(lead_curve_table(lead));
  answer.tables.push_back(lost_lead_table(request.trace, lead));
  if (!lead.synchronizations.empty()) {
    answer.tables.push_back(synchronization_table(request.trace, lead));
  }
  if (!lead.costs.empty()) answer.tables.push_back(dispatch_cost_table(request.trace, lead));
  return answer;
}

}  // namespace

const Mode kHostLeadMode = {
    .name = "host_lead",
    .question = "Eager mode: does the host run ahead of the device, and what costs it most?",
    .explains =
        "The lead of a kernel is its start on the device minus the end of its launch. Healthy is "
        "more than 100 us; below 20 us the device had nothing in store and waited for the host. "
        "Shows where the lead is lost, and what each operator costs: its own time, enqueue, wait "
        "in the queue, dequeue and launch.",
    .needs = "kernels with the calls that launched them; operators of the framework for their cost",
    .collect = "profile with ProfilerActivity.CPU and ProfilerActivity.NPU at Level1",
    .reads = {trace::Part::kDetails, trace::Part::kStacks},
    .options = {},
    .looks_around = true,
    .answer = answer_host_lead,
};

}  // namespace npuprof::answers
