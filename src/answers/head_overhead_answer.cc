#include "answers/head_overhead_answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analyze/head_overhead.h"
#include "answers/head_overhead_bars.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::answers {
namespace {

using analyze::FrontEndRule;
using analyze::GraphCompilation;
using analyze::GraphExecution;
using analyze::GraphMode;
using analyze::HeadOverhead;
using analyze::HeadOverheadSummary;
using analyze::InputPreparation;

std::string_view front_end_rule_text(FrontEndRule rule) {
  switch (rule) {
    case FrontEndRule::kRegion:
      return "compiled region";
    case FrontEndRule::kLookup:
      return "cache lookup";
    case FrontEndRule::kPythonFrame:
      return "python frame";
    case FrontEndRule::kCacheCompiler:
      return "cache_compiler";
    case FrontEndRule::kWrapper:
      return "outer module";
    case FrontEndRule::kUpperBound:
      return "upper bound";
    case FrontEndRule::kUnknown:
      break;
  }
  return "";
}

std::string_view graph_mode_text(GraphMode mode) {
  switch (mode) {
    case GraphMode::kGe:
      return "GE";
    case GraphMode::kAclGraph:
      return "ACL graph";
    case GraphMode::kEager:
      break;
  }
  return "eager";
}

std::string execution_flags(const GraphExecution& execution) {
  std::string text;
  const auto add = [&](bool holds, std::string_view flag) {
    if (!holds) return;
    if (!text.empty()) text += ' ';
    text += flag;
  };
  add(execution.is_first, "first");
  add(execution.compile_ns > 0, "compile");
  add(execution.load_ns > 0, "load");
  add(execution.is_partial, "partial");
  add(execution.is_truncated, "truncated");
  add(execution.is_unfinished, "unfinished");
  add(execution.has_many_launches, "several_launches");
  add(execution.first_kernel_is_guess, "first_kernel_guessed");
  return text;
}

// What is exact needs no sign; spreadsheets would take "=" for a formula.
std::string_view bound_text(bool is_upper_bound) { return is_upper_bound ? "<=" : ""; }

Table execution_table(const HeadOverhead& overhead) {
  Table table("head_overhead", "Host time of each graph execution");
  table.on_terminal = false;
  table.integer("step", "Step");
  table.integer("pid", "Process");
  table.integer("tid", "Thread");
  table.text("graph", "Graph");
  table.integer("call", "Call");
  table.text("mode", "Mode");
  table.text("state", "State");
  table.text("flags", "Flags");
  table.moment("start", "Start");
  table.text("front_end_rule", "Front end by");
  table.text("front_end_bound", "Bound");
  for (const auto& [key, title] : std::array<std::pair<const char*, const char*>, 19>{{
           {"front_end", "Front end"},
           {"front_end_outer", "Before it"},
           {"compile", "Compile"},
           {"torchair_py", "TorchAir Python"},
           {"load", "Load"},
           {"torchair_cpp", "TorchAir C++"},
           {"torchair", "TorchAir"},
           {"ge", "GE"},
           {"ge_launch", "GE launch"},
           {"post_cpp", "Outputs C++"},
           {"post_py", "Outputs Python"},
           {"replay", "Replay"},
           {"first_kernel", "First kernel"},
           {"head", "Head"},
           {"py_operators", "Operators in Python part"},
           {"py_pure", "Pure Python"},
           {"assemble_inputs", "Assemble inputs"},
           {"assemble_outputs", "Assemble outputs"},
           {"cpp_rest", "Rest of C++"},
       }}) {
    table.duration(key, title);
  }
  table.integer("py_operator_count", "Their count");
  for (const GraphExecution& row : overhead.executions) {
    const bool has_front_end = row.rule != FrontEndRule::kUnknown;
    table.row(row.step, row.pid, row.tid, row.group, row.call, graph_mode_text(row.mode),
              row.is_cold() ? "cold" : "warm", execution_flags(row), row.start_ns,
              front_end_rule_text(row.rule), bound_text(has_front_end && !row.is_exact()),
              row.front_end_ns, row.front_end_outer_ns, row.compile_ns, row.torchair_py_ns,
              row.load_ns, row.torchair_cpp_ns, row.torchair_ns(), row.ge_ns, row.ge_launch_ns,
              row.post_cpp_ns, row.post_py_ns, row.replay_ns, row.first_kernel_ns, row.head_ns,
              row.py_ops_ns, row.pure_python_ns(), row.assemble_inputs_ns, row.assemble_outputs_ns,
              row.cpp_rest_ns(), row.py_ops);
  }
  return table;
}

std::optional<std::int64_t> rounded_ns(const std::optional<double>& value) {
  return value ? std::optional(static_cast<std::int64_t>(std::llround(*value))) : std::nullopt;
}

// How many threads ran graphs: one needs no column.
bool has_many_threads(const HeadOverhead& overhead) {
  return std::any_of(overhead.executions.begin(), overhead.executions.end(),
                     [&](const GraphExecution& row) {
                       return row.tid != overhead.executions.front().tid ||
                              row.pid != overhead.executions.front().pid;
                     });
}

Table summary_table(const HeadOverhead& overhead, const std::vector<HeadOverheadSummary>& rows) {
  Table table("head_overhead_summary", "Mean host time of an execution, by graph");
  const bool with_threads = has_many_threads(overhead);
  const bool with_replays = std::any_of(
      rows.begin(), rows.end(), [](const auto& row) { return row.mode == GraphMode::kAclGraph; });
  if (with_threads) table.integer("tid", "Thread");
  table.text("graph", "Graph");
  table.text("state", "State");
  table.integer("calls", "Calls");
  table.duration("front_end", "Front end");
  table.text("front_end_bound", "Bound");
  table.duration("torchair_py", "TorchAir Python");
  table.duration("torchair_cpp", "TorchAir C++");
  table.duration("ge", "GE");
  table.duration("ge_launch", "GE launch");
  table.duration("post_cpp", "Outputs C++");
  table.duration("post_py", "Outputs Python");
  if (with_replays) table.duration("replay", "Replay");
  table.duration("first_kernel", "First kernel");
  table.duration("compile", "Compile");
  table.duration("load", "Load");
  table.duration("head", "Head");
  table.duration("head_p95", "Head p95");
  table.share("share_of_step", "Of step");
  for (const HeadOverheadSummary& row : rows) {
    if (with_threads) table.add(row.tid);
    table.row(row.group, row.is_cold ? "cold" : "warm", row.calls, rounded_ns(row.front_end_ns),
              bound_text(!row.is_exact), rounded_ns(row.torchair_py_ns),
              rounded_ns(row.torchair_cpp_ns), rounded_ns(row.ge_ns), rounded_ns(row.ge_launch_ns),
              rounded_ns(row.post_cpp_ns), rounded_ns(row.post_py_ns));
    if (with_replays) table.add(rounded_ns(row.replay_ns));
    table.row(rounded_ns(row.first_kernel_ns), rounded_ns(row.compile_ns), rounded_ns(row.load_ns),
              rounded_ns(row.head_ns), row.head_p95_ns, row.share_of_step);
  }
  table.notes.push_back(
      "First kernel: from the launch to the first task on the device. GE, as case studies count "
      "it, "
      "lasts to the end of the inference: launch + outputs C++ + outputs Python.");
  return table;
}

std::string_view preparation_text(InputPreparation::Hint hint) {
  switch (hint) {
    case InputPreparation::Hint::kNotContiguous:
      return "inputs are not contiguous, or change type";
    case InputPreparation::Hint::kNewTensors:
      return "scalars or lists become tensors";
    case InputPreparation::Hint::kNothing:
      break;
  }
  return "";
}

using GraphGroupKey = std::tuple<std::uint32_t, std::uint32_t, std::string_view>;

std::map<GraphGroupKey, std::uint64_t> executions_by_group(const HeadOverhead& overhead) {
  std::map<GraphGroupKey, std::uint64_t> counts;
  for (const GraphExecution& row : overhead.executions) ++counts[{row.pid, row.tid, row.group}];
  return counts;
}

Table preparation_table(const trace::Trace& trace, const HeadOverhead& overhead) {
  Table table("head_overhead_operators", "Operators that prepare inputs in Python");
  table.text("graph", "Graph");
  table.text("operator", "Operator");
  table.integer("count", "Count");
  table.real("per_execution", "Per execution");
  table.duration("total", "Total");
  table.duration("mean", "Mean");
  table.text("hint", "Hint");
  const auto counts = executions_by_group(overhead);
  for (const InputPreparation& row : overhead.preparations) {
    const auto executions = static_cast<double>(counts.at({row.pid, row.tid, row.group}));
    table.row(row.group, trace.strings.view(row.name), row.count,
              static_cast<double>(row.count) / std::max(1.0, executions), row.total_ns,
              row.total_ns / static_cast<std::int64_t>(std::max<std::uint64_t>(1, row.count)),
              preparation_text(row.hint));
  }
  return table;
}

std::string_view compilation_text(GraphCompilation::When when) {
  switch (when) {
    case GraphCompilation::When::kFirstCall:
      return "first call";
    case GraphCompilation::When::kRecompilation:
      return "again";
    case GraphCompilation::When::kOutside:
      break;
  }
  return "outside of executions";
}

Table compilation_table(const trace::Trace& trace, const HeadOverhead& overhead) {
  Table table("head_overhead_compilations", "Compiling and loading");
  table.moment("start", "Start");
  table.integer("step", "Step");
  table.integer("tid", "Thread");
  table.text("graph", "Graph");
  table.text("range", "Range");
  table.duration("length", "Length");
  table.text("when", "When");
  for (const GraphCompilation& row : overhead.compilations) {
    table.row(row.start_ns, row.step, row.tid, row.group, trace.strings.view(row.name),
              row.length_ns, compilation_text(row.when));
  }
  return table;
}

// Sums of the parts over summaries of one state.
struct HeadParts {
  double front_end = 0;
  double torchair_py = 0;
  double torchair_cpp = 0;
  double launch = 0;
  double post_cpp = 0;
  double post_py = 0;
  std::uint64_t calls = 0;

  double sum() const {
    return front_end + torchair_py + torchair_cpp + launch + post_cpp + post_py;
  }
};

HeadParts add_up_parts(const std::vector<HeadOverheadSummary>& rows, bool cold) {
  HeadParts parts;
  for (const HeadOverheadSummary& row : rows) {
    if (row.is_cold != cold) continue;
    const auto calls = static_cast<double>(row.calls);
    parts.calls += row.calls;
    // An upper bound would accuse the front end of what may be anything.
    if (row.is_exact) parts.front_end += calls * row.front_end_ns.value_or(0);
    parts.torchair_py += calls * row.torchair_py_ns.value_or(0);
    parts.torchair_cpp += calls * row.torchair_cpp_ns.value_or(0);
    parts.launch += calls * (row.ge_launch_ns ? *row.ge_launch_ns : row.replay_ns.value_or(0));
    parts.post_cpp += calls * row.post_cpp_ns.value_or(0);
    parts.post_py += calls * row.post_py_ns.value_or(0);
  }
  return parts;
}

std::string micros(double ns) { return fmt::format("{:.1f} us", ns / 1e3); }

std::string input_hint(const trace::Trace& trace, const HeadOverhead& overhead,
                       const HeadParts& parts) {
  const InputPreparation* longest = nullptr;
  for (const InputPreparation& row : overhead.preparations) {
    if (longest == nullptr || row.total_ns > longest->total_ns) longest = &row;
  }
  std::int64_t ops_ns = 0;
  for (const InputPreparation& row : overhead.preparations) add_saturated(ops_ns, row.total_ns);
  if (longest == nullptr || static_cast<double>(ops_ns) < parts.torchair_py / 4) {
    return "few operators run in it: it is Python itself, as with very many inputs";
  }
  const std::string_view hint = preparation_text(longest->hint);
  return fmt::format("most of its operators' time is {} ({}, {} together){}{}",
                     trace.strings.view(longest->name), count_text(longest->count, "call"),
                     micros(static_cast<double>(longest->total_ns)), hint.empty() ? "" : ": ",
                     hint);
}

// A part that takes most of the time is not as it should be; it is somebody's to make it smaller.
constexpr double kAbnormalShare = 0.4;

struct NamedPart {
  std::string_view name;
  double HeadParts::*time;
  std::string_view owner;
  std::string_view hint;
};

constexpr NamedPart kNamedParts[] = {
    {"the front end", &HeadParts::front_end, "the serving code, or Dynamo",
     "look at the code around the model and at Dynamo's guards"},
    {"TorchAir's Python part", &HeadParts::torchair_py, "TorchAir (Python), or who calls the model",
     "inputs are converted there"},
    {"TorchAir's C++ part", &HeadParts::torchair_cpp, "TorchAir (C++)",
     "look at the number of inputs and at memory allocation"},
    {"the launch of the graph", &HeadParts::launch, "GE, or the runtime",
     "compare it with the time to the first kernel"},
    {"taking outputs in C++", &HeadParts::post_cpp, "TorchAir (C++), or who uses the outputs",
     "look for copies of outputs to the host that wait for the device"},
    {"packing outputs in Python", &HeadParts::post_py, "TorchAir (Python)",
     "look at how many outputs the graph returns"},
};

// Which part is abnormal, and who owns it.
std::string verdict_sentence(const trace::Trace& trace, const HeadOverhead& overhead,
                             const HeadParts& parts, bool cold) {
  const NamedPart& largest = *std::max_element(
      std::begin(kNamedParts), std::end(kNamedParts),
      [&](const NamedPart& a, const NamedPart& b) { return parts.*a.time < parts.*b.time; });
  const double share = parts.*largest.time / parts.sum();
  std::string hint(largest.hint);
  if (largest.time == &HeadParts::torchair_py) hint += "; " + input_hint(trace, overhead, parts);
  const auto calls = static_cast<double>(std::max<std::uint64_t>(1, parts.calls));
  return fmt::format(
      "{}: {} takes {} of {} that the host spends on each {} execution ({:.1f} %). "
      "Owner: {}; {}.",
      share >= kAbnormalShare ? "Abnormal" : "No part stands out; the largest", largest.name,
      micros(parts.*largest.time / calls), micros(parts.sum() / calls), cold ? "first" : "warm",
      100 * share, largest.owner, hint);
}

std::string count_sentence(const HeadOverhead& overhead) {
  std::uint64_t warm = 0;
  std::uint64_t cold = 0;
  std::uint64_t partial = 0;
  std::uint64_t truncated = overhead.lone_launches;
  std::uint64_t unfinished = 0;
  std::uint64_t eager = 0;
  std::uint64_t bounds = 0;
  for (const GraphExecution& row : overhead.executions) {
    if (row.mode == GraphMode::kEager) {
      ++eager;
    } else if (row.is_truncated) {
      ++truncated;
    } else if (row.is_partial) {
      ++partial;
    } else if (row.is_unfinished) {
      ++unfinished;
    } else {
      ++(row.is_cold() ? cold : warm);
      bounds += row.is_exact() ? 0 : 1;
    }
  }
  std::string text = fmt::format("Executions: {} warm, {} cold, {} partial, {} truncated", warm,
                                 cold, partial, truncated);
  if (unfinished > 0) text += fmt::format(", {} without a launch", unfinished);
  if (eager > 0) text += fmt::format(", {} eager", eager);
  text += bounds == 0 ? "; all front ends are exact."
                      : fmt::format("; {} {} (<=).", count_text(bounds, "front end"),
                                    bounds == 1 ? "is an upper bound" : "are upper bounds");
  return text;
}

void add_cold_sentences(const HeadOverhead& overhead, Answer& answer) {
  std::int64_t first_ns = 0;
  std::int64_t again_ns = 0;
  std::uint64_t again = 0;
  for (const GraphExecution& row : overhead.executions) {
    const std::int64_t one_off_ns = saturated_sum(row.compile_ns, row.load_ns);
    if (one_off_ns == 0) continue;
    add_saturated(row.is_first ? first_ns : again_ns, one_off_ns);
    again += row.is_first ? 0 : 1;
  }
  if (first_ns > 0) {
    answer.sentences.push_back(fmt::format("Compiling and loading in first calls took {:.2f} ms.",
                                           static_cast<double>(first_ns) / 1e6));
  }
  if (again > 0) {
    answer.sentences.push_back(fmt::format(
        "{} later execution{} compiled again, {:.2f} ms in all: look for inputs whose shape or "
        "value changes.",
        again, again == 1 ? "" : "s", static_cast<double>(again_ns) / 1e6));
  }
}

void add_warnings(const HeadOverhead& overhead, Answer& answer) {
  if (overhead.has_python_calls) {
    answer.sentences.push_back(
        "Python calls were recorded: that makes the Python parts longer than they are without.");
  }
  const bool has_many_launches =
      std::any_of(overhead.executions.begin(), overhead.executions.end(),
                  [](const GraphExecution& row) { return row.has_many_launches; });
  if (has_many_launches) {
    answer.sentences.push_back(
        "Some executions launch several times; their launch is the sum of all.");
  }
}

Result<Answer> answer_head_overhead(const Request& request) {
  if (request.trace.framework_ops().size() == 0) {
    return Error{ErrorCode::kNoData,
                 "the profile has no operators of a framework (no CPU activity)"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const analyze::ChosenTimes chosen, request.chosen_times());
  const HeadOverhead overhead = analyze::head_overhead(request.trace, chosen);
  if (overhead.executions.empty()) {
    return Error{ErrorCode::kNoData,
                 "the profile has no graph executions of TorchAir; for operators that run one by "
                 "one ask host_lead"};
  }
  const auto rows = analyze::summarize_head_overhead(request.trace, overhead);
  Answer answer;
  HeadParts parts = add_up_parts(rows, false);
  const bool only_cold = parts.calls == 0;
  if (only_cold) parts = add_up_parts(rows, true);
  if (parts.sum() > 0) {
    answer.sentences.push_back(verdict_sentence(request.trace, overhead, parts, only_cold));
  }
  answer.sentences.push_back(count_sentence(overhead));
  add_cold_sentences(overhead, answer);
  add_warnings(overhead, answer);
  answer.tables.push_back(summary_table(overhead, rows));
  answer.tables.push_back(head_overhead_bars(overhead));
  answer.tables.push_back(execution_table(overhead));
  if (!overhead.preparations.empty()) {
    answer.tables.push_back(preparation_table(request.trace, overhead));
  }
  if (!overhead.compilations.empty()) {
    answer.tables.push_back(compilation_table(request.trace, overhead));
  }
  return answer;
}

}  // namespace

const Mode kHeadOverheadMode = {
    .name = "head_overhead",
    .question = "Graph mode: which layer of the host keeps the device waiting before each graph?",
    .explains =
        "Splits the host time of each execution of a compiled graph into front end (serving code "
        "and Dynamo), TorchAir in Python, TorchAir in C++ and GE. First calls and compilations are "
        "kept apart. Graphs are told apart by the number of their compiled region, else by their "
        "place in the step.",
    .needs = "ranges of TorchAir: npu_fx_compiler inference, TorchNpuGraphBase::Run, ExecuteGraph",
    .collect =
        "profile with ProfilerActivity.CPU and ProfilerActivity.NPU a model that "
        "torch.compile runs through TorchAir",
    .reads = {trace::Part::kDetails},
    .options = {},
    .looks_around = true,
    .answer = answer_head_overhead,
};

}  // namespace npuprof::answers
