#include "answers/serving_answer.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analyze/serving.h"
#include "answers/option_values.h"

namespace npuprof::answers {
namespace {

using analyze::Serving;
using analyze::ServingIteration;
using analyze::ServingPhase;
using analyze::ServingSource;
using analyze::ServingSummary;
using analyze::TokenSource;

std::string_view phase_text(ServingPhase phase) {
  switch (phase) {
    case ServingPhase::kPrefill:
      return "prefill";
    case ServingPhase::kDecode:
      return "decode";
    case ServingPhase::kMixed:
      return "mixed";
    case ServingPhase::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view serving_source_text(ServingSource source) {
  switch (source) {
    case ServingSource::kRanges:
      return "ranges of the framework whose names say prefill or decode";
    case ServingSource::kMarks:
      return "mstx ranges whose names say prefill or decode";
    case ServingSource::kSteps:
      return "steps of the profiler; their phase by attention kernels and tokens";
    case ServingSource::kReplays:
      return "executions of graphs; their phase by attention kernels and tokens";
    case ServingSource::kNothing:
      break;
  }
  return "";
}

std::string_view token_source_text(TokenSource source) {
  switch (source) {
    case TokenSource::kName:
      return "name";
    case TokenSource::kFirstMatmul:
      return "first matmul";
    case TokenSource::kAttention:
      return "attention";
    case TokenSource::kNothing:
      break;
  }
  return "";
}

Table iteration_table(const trace::Trace& trace, const Serving& serving) {
  Table table("serving", "Iterations");
  table.on_terminal = false;
  table.integer("iteration", "Iteration");
  table.text("phase", "Phase");
  table.integer("step", "Step");
  table.integer("tid", "Thread");
  table.text("name", "Name");
  table.moment("start", "Start");
  table.duration("host", "Host");
  table.duration("device", "Device");
  table.duration("device_busy", "Device busy");
  table.integer("kernels", "Kernels");
  table.integer("tokens", "Tokens");
  table.text("tokens_by", "Tokens by");
  for (const ServingIteration& row : serving.iterations) {
    table.row(row.number, phase_text(row.phase), row.step, row.tid, trace.strings.view(row.name),
              row.start_ns, row.host_ns(), row.device_ns(), row.device_busy_ns, row.kernels,
              row.tokens, token_source_text(row.token_source));
  }
  return table;
}

std::int64_t nearest_ns(double value) { return static_cast<std::int64_t>(std::llround(value)); }

Table serving_summary_table(const std::vector<ServingSummary>& rows) {
  Table table("serving_summary", "Prefill and decode");
  table.text("phase", "Phase");
  table.integer("count", "Iterations");
  table.duration("device_mean", "Device mean");
  table.duration("device_p50", "Device p50");
  table.duration("device_p95", "Device p95");
  table.share("device_busy", "Busy");
  table.duration("host_mean", "Host mean");
  table.duration("host_p50", "Host p50");
  table.duration("host_p95", "Host p95");
  table.integer("tokens", "Tokens");
  table.real("tokens_per_second", "Tokens/s");
  for (const ServingSummary& row : rows) {
    const auto device_mean =
        row.device_mean_ns ? std::optional(nearest_ns(*row.device_mean_ns)) : std::nullopt;
    table.row(phase_text(row.phase), row.count, device_mean, row.device_p50_ns, row.device_p95_ns,
              row.busy_share, nearest_ns(row.host_mean_ns), row.host_p50_ns, row.host_p95_ns,
              row.tokens, row.tokens_per_second);
  }
  table.notes.push_back(
      "Device: from the first to the last task of an iteration; busy: the share of that in which "
      "one ran. Tokens/s: over the time in which such an iteration was in progress.");
  return table;
}

using IterationRange = std::optional<std::pair<std::uint32_t, std::uint32_t>>;

Result<IterationRange> chosen_iterations(const Request& request) {
  const auto text = request.option("iterations");
  if (!text) return IterationRange();
  const IterationRange range = read_range(*text);
  if (range) return range;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--iterations {}: two numbers are needed, such as 3..7", *text)};
}

void add_phase_sentences(const std::vector<ServingSummary>& rows, Answer& answer) {
  for (const ServingSummary& row : rows) {
    std::string text = fmt::format("{} {} iteration{}", row.count, phase_text(row.phase),
                                   row.count == 1 ? "" : "s");
    if (row.device_mean_ns) {
      text += fmt::format(", {:.3f} ms each on the device", *row.device_mean_ns / 1e6);
    }
    text += fmt::format(", {:.3f} ms on the host", row.host_mean_ns / 1e6);
    if (row.tokens_per_second) text += fmt::format("; {:.1f} tokens/s", *row.tokens_per_second);
    answer.sentences.push_back(text + ".");
  }
}

// How token counts were come by.
void add_token_sentence(const Serving& serving, Answer& answer) {
  std::array<bool, 4> is_used{};
  for (const ServingIteration& row : serving.iterations) {
    is_used[static_cast<std::size_t>(row.token_source)] = true;
  }
  std::string text;
  const auto add = [&](TokenSource source, std::string_view how) {
    if (!is_used[static_cast<std::size_t>(source)]) return;
    text += text.empty() ? "Tokens are taken from " : ", and from ";
    text += how;
  };
  add(TokenSource::kName, "the names of the ranges");
  add(TokenSource::kFirstMatmul,
      "the rows of the first matrix product of an iteration (decode: one for each sequence of the "
      "batch, padding and speculative tokens included)");
  add(TokenSource::kAttention, "the shape of the first attention");
  answer.sentences.push_back(text.empty() ? "Token counts are not known: the profile has no shapes."
                                          : text + ".");
}

Result<Answer> answer_serving(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto chosen, chosen_iterations(request));
  const Serving serving = analyze::serving(request.trace, chosen);
  if (serving.source == ServingSource::kNothing) {
    return Error{ErrorCode::kNoData,
                 "nothing in the profile tells prefill from decode: no ranges of these names, no "
                 "steps or graphs with attention kernels or different numbers of tokens"};
  }
  if (serving.iterations.empty()) {
    return Error{ErrorCode::kNoData, "the profile has no iterations with these numbers"};
  }
  const std::vector<ServingSummary> rows = analyze::summarize_serving(serving);
  Answer answer;
  add_phase_sentences(rows, answer);
  if (const auto first_ns = analyze::time_to_first_token_ns(serving)) {
    answer.sentences.push_back(
        fmt::format("Time to first token: {:.3f} ms, from the start of the first prefill to its "
                    "end on the device; what a request waited before is not in the profile.",
                    static_cast<double>(*first_ns) / 1e6));
  }
  answer.sentences.push_back(
      fmt::format("Iterations are {}.", serving_source_text(serving.source)));
  add_token_sentence(serving, answer);
  answer.tables.push_back(serving_summary_table(rows));
  answer.tables.push_back(iteration_table(request.trace, serving));
  return answer;
}

constexpr ModeOption kServingOptions[] = {
    {.name = "iterations", .help = "Only these iterations: 3..7, or one number; they count from 1"},
};

}  // namespace

const Mode kServingMode = {
    .name = "serving",
    .question = "Inference: how long do prefill and decode take, and how many tokens per second?",
    .explains =
        "Iterations are found by ranges or marks whose names contain prefill or decode (or those "
        "of "
        "vLLM, which name the batch), else they are steps or graph executions whose phase is told "
        "by attention kernels and by the number of tokens.",
    .needs = "ranges or marks of the serving engine, or steps with shapes of kernels (Level1)",
    .collect =
        "profile some requests with ProfilerActivity.CPU and ProfilerActivity.NPU at Level1, "
        "with a record_function or an mstx range named prefill or decode around each",
    .reads = {trace::Part::kDetails},
    .options = kServingOptions,
    .answer = answer_serving,
};

}  // namespace npuprof::answers
