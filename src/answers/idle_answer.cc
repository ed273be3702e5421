#include "answers/idle_answer.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyze/idle_causes.h"
#include "analyze/idle_sums.h"
#include "analyze/step_time.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "trace/framework/steps.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::answers {
namespace {

using analyze::IdleCause;
using analyze::IdleRow;
using analyze::IdleSum;
using trace::kNone;

constexpr std::size_t kListedIdleGaps = 1'000;  // Longest ones; `idle` has all.

struct IdleFacts {
  const trace::Trace& trace;
  std::vector<IdleRow> rows;
  std::int64_t idle_ns = 0;
  std::int64_t total_ns = 0;  // Of all steps and devices.
};

std::optional<double> idle_share(std::int64_t part_ns, std::int64_t whole_ns) {
  if (whole_ns <= 0) return std::nullopt;
  return static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

std::string idle_percent_text(std::int64_t part_ns, std::int64_t whole_ns) {
  return share_text(idle_share(part_ns, whole_ns).value_or(0));
}

std::string_view what_helps_idle(IdleCause cause) {
  switch (cause) {
    case IdleCause::kCopy:
      return "copy from pinned memory, without blocking, on a stream of its own, while kernels run";
    case IdleCause::kStreamWait:
      return "look whether the waited-for work can begin earlier, or the wait is needed at all";
    case IdleCause::kRankWait:
      return "find the rank that comes last: compare the ranks of the job";
    case IdleCause::kStartLatency:
      return "run fewer and larger kernels: fuse operators or compile the model as a graph";
    case IdleCause::kLaunch:
      return "launch fewer kernels (fused operators, graph mode), reuse memory, bind threads to "
             "cores";
    case IdleCause::kSynchronization:
      return "remove what asks for values on the host: item(), print of a tensor, nonzero, "
             "synchronize()";
    case IdleCause::kQueue:
      return "bind the launching thread to a core of its own; the host may have too few";
    case IdleCause::kGarbageCollection:
      return "call gc.freeze() after set-up, and collect by hand at a quiet moment";
    case IdleCause::kDataLoader:
      return "use more workers, pinned memory and prefetching, or make the data cheaper to read";
    case IdleCause::kMark:
      return "do it less often, or on another thread";
    case IdleCause::kOperator:
      return "the host is slower than the device: fuse operators, use larger batches or graph mode";
    case IdleCause::kPython:
      return "move the named lines out of the step, or make them cheaper";
    case IdleCause::kStepBoundary:
      return "look at what the program does between steps; record Python calls to see its lines";
    case IdleCause::kNothingLaunched:
      return "the profile ends here; look at what the program does after its last kernel";
    case IdleCause::kUnexplained:
      return "the work had been launched: look whether the device was busy with another process, "
             "or "
             "waited for a stream that is not in the profile";
    case IdleCause::kNotRecorded:
      return "record with level 1, operators and Python calls to learn what the host did";
  }
  return "";
}

std::string_view idle_task_name(const trace::Trace& trace, std::uint32_t task) {
  if (task >= trace.tasks().size()) return "";
  const std::uint32_t kernel = trace.tasks().kernel[task];
  if (kernel < trace.kernels().size()) return trace.strings.view(trace.kernels().name[kernel]);
  const std::string_view name = trace.strings.view(trace.tasks().kernel_name[task]);
  return name.empty() ? trace.strings.view(trace.tasks().shown_type[task]) : name;
}

std::optional<std::int64_t> idle_step_number(const trace::Trace& trace, const IdleRow& row) {
  if (row.step >= trace.steps().size()) return std::nullopt;
  return trace.steps().id[row.step];
}

Table idle_cause_table(const IdleFacts& facts) {
  Table table("idle_causes", "Why the device is idle");
  table.usual_rows = 0;
  table.text("cause", "Cause");
  table.duration("total", "Total");
  table.share("idle_share", "Of idle");
  table.share("step_share", "Of step");
  table.integer("count", "Count");
  table.duration("longest", "Longest");
  table.moment("longest_at", "Longest at");
  table.comparison = {.names = {"cause"}, .also = {}, .sums = {"total", "count"}, .values = {}};
  for (const analyze::IdleCauseSum& cause : analyze::idle_by_cause(facts.rows)) {
    const IdleSum& sum = cause.sum;
    table.row(analyze::idle_cause_name(cause.cause), sum.total_ns,
              idle_share(sum.total_ns, facts.idle_ns), idle_share(sum.total_ns, facts.total_ns),
              sum.count, sum.longest_ns, sum.longest_at_ns);
  }
  return table;
}

void add_idle_sum_columns(Table& table) {
  table.duration("total", "Total");
  table.share("idle_share", "Of idle");
  table.integer("count", "Count");
  table.duration("longest", "Longest");
  table.moment("longest_at", "Longest at");
  table.comparison = {
      .names = {"cause", "detail", "name"}, .also = {}, .sums = {"total", "count"}, .values = {}};
}

void add_idle_sum_cells(const IdleFacts& facts, const IdleSum& sum, Table& table) {
  table.row(sum.total_ns, idle_share(sum.total_ns, facts.idle_ns), sum.count, sum.longest_ns,
            sum.longest_at_ns);
}

Table idle_detail_table(const IdleFacts& facts) {
  Table table("idle_details", "What exactly");
  table.text("cause", "Cause");
  table.text("detail", "Detail");
  add_idle_sum_columns(table);
  for (const analyze::IdleDetailSum& detail : analyze::idle_by_detail(facts.trace, facts.rows)) {
    table.row(analyze::idle_cause_name(detail.cause), detail.detail);
    add_idle_sum_cells(facts, detail.sum, table);
  }
  return table;
}

void add_idle_name_table(const IdleFacts& facts, const std::vector<analyze::IdleNameSum>& sums,
                         Table table, Answer& answer) {
  if (sums.empty()) return;
  table.usual_rows = 10;
  table.text("name", "Name");
  add_idle_sum_columns(table);
  for (const analyze::IdleNameSum& name : sums) {
    table.row(name.name);
    add_idle_sum_cells(facts, name.sum, table);
  }
  answer.tables.push_back(std::move(table));
}

Table idle_step_table(const IdleFacts& facts) {
  Table table("idle_steps", "Idle time of each step");
  table.integer("device", "Device");
  table.integer("step", "Step");
  table.duration("total", "Total");
  table.text("largest_cause", "Largest cause");
  table.duration("largest", "Largest");
  for (const analyze::IdleStepSum& step : analyze::idle_by_step(facts.trace, facts.rows)) {
    const IdleCause cause = step.largest();
    table.row(step.device, step.step, step.total_ns, analyze::idle_cause_name(cause),
              step.by_cause_ns[static_cast<std::size_t>(cause)]);
  }
  return table;
}

std::span<const IdleRow> idle_gap_rows(const IdleFacts& facts, const analyze::IdleGapSum& gap) {
  return std::span(facts.rows).subspan(gap.first_row, gap.end_row - gap.first_row);
}

// "garbage collection 18.0 us, operator self time 50.0 us (aten::mm), ...": each cause once, in the
// order in which they begin, with its largest detail.
std::string idle_chain_text(const IdleFacts& facts, const analyze::IdleGapSum& gap) {
  const std::span<const IdleRow> rows = idle_gap_rows(facts, gap);
  const std::vector<analyze::IdleCauseSum> causes = analyze::idle_by_cause(rows);
  const std::vector<analyze::IdleDetailSum> details = analyze::idle_by_detail(facts.trace, rows);
  std::array<bool, analyze::kIdleCauseCount> is_told{};
  std::string text;
  for (const IdleRow& row : rows) {
    if (std::exchange(is_told[static_cast<std::size_t>(row.cause)], true)) continue;
    const auto is_cause = [&](const auto& sum) { return sum.cause == row.cause; };
    const auto cause = std::find_if(causes.begin(), causes.end(), is_cause);
    const auto detail = std::find_if(details.begin(), details.end(), is_cause);
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", analyze::idle_cause_name(row.cause),
                        duration_text(cause->sum.total_ns));
    if (!detail->detail.empty()) text += fmt::format(" ({})", short_text(detail->detail));
  }
  return text;
}

Table idle_gap_table(const IdleFacts& facts) {
  Table table("idle_gaps", "Longest gaps");
  table.usual_rows = 10;
  table.integer("device", "Device");
  table.integer("step", "Step");
  table.moment("start", "Start");
  table.duration("duration", "Duration");
  table.text("largest_cause", "Largest cause");
  table.text("before", "Before");
  table.text("causes", "Causes");
  for (const analyze::IdleGapSum& gap : analyze::longest_idle_gaps(facts.rows, kListedIdleGaps)) {
    const IdleRow& row = facts.rows[gap.end_row - 1];
    const IdleCause largest = analyze::idle_by_cause(idle_gap_rows(facts, gap)).front().cause;
    table.row(row.device, idle_step_number(facts.trace, row), gap.start_ns,
              saturated_difference(gap.end_ns, gap.start_ns), analyze::idle_cause_name(largest),
              idle_task_name(facts.trace, row.task), idle_chain_text(facts, gap));
  }
  return table;
}

std::optional<std::uint32_t> idle_known_row(std::uint32_t row) {
  return row == kNone ? std::nullopt : std::optional(row);
}

Table idle_row_table(const IdleFacts& facts) {
  Table table("idle", "Every part of every gap");
  table.on_terminal = false;
  table.integer("device", "Device");
  table.integer("step", "Step");
  table.moment("start", "Start");
  table.duration("duration", "Duration");
  table.text("cause", "Cause");
  table.text("detail", "Detail");
  table.integer("thread", "Thread");
  table.text("evidence", "Evidence");
  table.integer("evidence_row", "Evidence row");
  table.integer("task", "Task");
  table.text("before", "Before");
  table.text("waited_for", "Waited for");
  table.integer("guess", "Guess");
  table.integer("starved", "Starved");
  for (const IdleRow& row : facts.rows) {
    table.row(row.device, idle_step_number(facts.trace, row), row.start_ns,
              saturated_difference(row.end_ns, row.start_ns), analyze::idle_cause_name(row.cause),
              analyze::idle_detail(facts.trace, row), idle_known_row(row.thread),
              analyze::idle_evidence_name(row.evidence), idle_known_row(row.evidence_row),
              idle_known_row(row.task), idle_task_name(facts.trace, row.task),
              idle_task_name(facts.trace, row.waited_for), row.is_guess ? 1 : 0,
              row.is_starved ? 1 : 0);
  }
  return table;
}

void add_idle_notes(const IdleFacts& facts, Answer& answer) {
  std::int64_t guessed_ns = 0;
  std::int64_t starved_ns = 0;
  std::int64_t host_ns = 0;
  for (const IdleRow& row : facts.rows) {
    const std::int64_t length_ns = saturated_difference(row.end_ns, row.start_ns);
    if (row.is_guess) add_saturated(guessed_ns, length_ns);
    if (row.is_starved) add_saturated(starved_ns, length_ns);
    if (analyze::is_of_host(row.cause)) add_saturated(host_ns, length_ns);
  }
  answer.sentences.push_back(
      fmt::format("The host is behind {} of it: the next task had not been launched yet. host_lead "
                  "says when it falls behind, and which operators cost it most.",
                  idle_percent_text(host_ns, facts.idle_ns)));
  if (starved_ns > 0) {
    answer.sentences.push_back(
        fmt::format("Host starved: for {} of it the process had less than 90 % of a core. Give it "
                    "cores of its own.",
                    idle_percent_text(starved_ns, facts.idle_ns)));
  }
  if (guessed_ns > 0) {
    answer.sentences.push_back(
        fmt::format("For {} of it the launching call is not in the profile: when the task was "
                    "launched is a guess.",
                    idle_percent_text(guessed_ns, facts.idle_ns)));
  }
}

void add_idle_sentences(const IdleFacts& facts, Answer& answer) {
  answer.sentences.push_back(
      fmt::format("The device is idle for {} of {} ({}).", duration_text(facts.idle_ns),
                  duration_text(facts.total_ns), idle_percent_text(facts.idle_ns, facts.total_ns)));
  if (facts.rows.empty()) return;
  const analyze::IdleCauseSum largest = analyze::idle_by_cause(facts.rows).front();
  std::string detail;
  for (const analyze::IdleDetailSum& sum : analyze::idle_by_detail(facts.trace, facts.rows)) {
    if (sum.cause != largest.cause || sum.detail.empty()) continue;
    detail =
        fmt::format(", above all {} ({})", short_text(sum.detail), duration_text(sum.sum.total_ns));
    break;
  }
  answer.sentences.push_back(fmt::format("Largest cause: {}, {} ({} of idle){}. What helps: {}.",
                                         analyze::idle_cause_name(largest.cause),
                                         duration_text(largest.sum.total_ns),
                                         idle_percent_text(largest.sum.total_ns, facts.idle_ns),
                                         detail, what_helps_idle(largest.cause)));
  add_idle_notes(facts, answer);
}

Result<Answer> answer_idle(const Request& request) {
  const std::vector<analyze::StepTime>& steps = request.results.steps();
  if (steps.empty()) {
    return Error{ErrorCode::kNoData, "the profile has no tasks of a device"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const analyze::ChosenTimes chosen, request.chosen_times());
  IdleFacts facts{.trace = request.trace, .rows = analyze::idle_causes(request.trace)};
  std::erase_if(facts.rows, [&](const IdleRow& row) { return !chosen.has_step(row.step); });
  for (const analyze::StepTime& step : steps) {
    if (!chosen.has_number(step.step)) continue;
    add_saturated(facts.idle_ns, step.free_ns);
    for (const std::int64_t part_ns : {step.computing_ns, step.not_overlapped_ns, step.free_ns}) {
      add_saturated(facts.total_ns, part_ns);
    }
  }
  Answer answer;
  add_idle_sentences(facts, answer);
  answer.tables.push_back(idle_cause_table(facts));
  answer.tables.push_back(idle_detail_table(facts));
  answer.tables.push_back(idle_gap_table(facts));
  add_idle_name_table(facts, analyze::idle_by_operator(facts.trace, facts.rows),
                      Table("idle_operators", "Idle time by operator of the host"), answer);
  add_idle_name_table(facts, analyze::idle_by_python_line(facts.trace, facts.rows),
                      Table("idle_lines", "Idle time by Python line"), answer);
  add_idle_name_table(facts, analyze::idle_by_module(facts.trace, facts.rows),
                      Table("idle_modules", "Idle time by module"), answer);
  answer.tables.push_back(idle_step_table(facts));
  answer.tables.push_back(idle_row_table(facts));
  return answer;
}

}  // namespace

const Mode kIdleMode = {
    .name = "idle",
    .question = "Why is the device idle, and what on the host or device is to blame?",
    .explains =
        "Every nanosecond that `step_time` counts as free has one cause: what the launching or "
        "asking thread did until the next task was launched, then what the device waited for. "
        "The causes of a step add up to its free time exactly.",
    .needs = "tasks of a device; host calls, operators, Python calls and marks for more causes",
    .collect =
        "profile with ProfilerActivity.CPU and NPU, profiler_level Level1, with_stack=True; "
        "mstx=True and gc_detect_threshold for marks and garbage collections",
    .reads = {trace::Part::kDetails, trace::Part::kOverlap, trace::Part::kSamples,
              trace::Part::kStacks},
    .options = {},
    .looks_around = true,
    .answer = answer_idle,
};

}  // namespace npuprof::answers
