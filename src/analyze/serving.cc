#include "analyze/serving.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "analyze/graph_front_end.h"
#include "analyze/serving_iterations.h"
#include "analyze/serving_tokens.h"
#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "base/text.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// Takes `prefix` and the number behind it from the front of a text.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number<std::uint64_t>(text.substr(0, digits));
  text.remove_prefix(digits);
  return number;
}

ServingPhase phase_of_counts(std::uint64_t prompts, std::uint64_t others) {
  if (prompts > 0) return others > 0 ? ServingPhase::kMixed : ServingPhase::kPrefill;
  return others > 0 ? ServingPhase::kDecode : ServingPhase::kUnknown;
}

// Ranges of vLLM say how many requests are in the batch: execute_context_1(128)_generation_3(3),
// with tokens in parentheses, and before that execute_new_1_cached_3.
std::optional<ServingName> read_batch_name(std::string_view name) {
  std::string_view rest = name;
  if (take_number(rest, "execute_context_")) {
    const auto prompt_tokens = take_number(rest, "(");
    if (!prompt_tokens || !take_number(rest, ")_generation_")) return std::nullopt;
    const auto decoded = take_number(rest, "(");
    if (!decoded) return std::nullopt;
    return ServingName{phase_of_counts(*prompt_tokens, *decoded), *prompt_tokens + *decoded};
  }
  rest = name;
  const auto fresh = take_number(rest, "execute_new_");
  const auto cached = take_number(rest, "_cached_");
  if (!fresh || !cached) return std::nullopt;
  ServingName read{phase_of_counts(*fresh, *cached), std::nullopt};
  if (read.phase == ServingPhase::kDecode) read.tokens = *cached;
  return read;
}

bool does_work(const trace::Tasks& tasks, std::uint32_t task) {
  return tasks.kernel[task] != kNone || tasks.copy_bytes[task] != 0;
}

// Times on the device, and what kernels say about the iterations.
std::vector<ServingEvidence> measure_iterations(const trace::Trace& trace, FoundIterations& found) {
  const trace::Tasks& tasks = trace.tasks();
  ServingEvidenceReader reader(trace);
  std::vector<ServingEvidence> evidence(found.iterations.size());
  std::vector<std::vector<Interval>> busy(found.iterations.size());
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    const std::uint32_t place = found.iteration_of_task[task];
    if (place == kNone || !does_work(tasks, task)) continue;
    ServingIteration& iteration = found.iterations[place];
    busy[place].push_back({tasks.start_ns[task], tasks.end_ns[task]});
    iteration.device_start_ns =
        std::min(iteration.device_start_ns.value_or(tasks.start_ns[task]), tasks.start_ns[task]);
    iteration.device_end_ns =
        std::max(iteration.device_end_ns.value_or(tasks.end_ns[task]), tasks.end_ns[task]);
    if (tasks.kernel[task] == kNone) continue;
    ++iteration.kernels;
    reader.add_kernel(tasks.kernel[task], evidence[place]);
  }
  for (std::size_t i = 0; i < busy.size(); ++i) {
    found.iterations[i].device_busy_ns = total_length(merge_intervals(std::move(busy[i])));
  }
  for (std::uint32_t op = 0; op < found.iteration_of_op.size(); ++op) {
    const std::uint32_t place = found.iteration_of_op[op];
    if (place != kNone) reader.add_op(op, evidence[place]);
  }
  return evidence;
}

void set_tokens(const std::vector<ServingEvidence>& evidence, FoundIterations& found) {
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    ServingIteration& iteration = found.iterations[i];
    if (iteration.tokens) continue;
    iteration.tokens = evidence[i].tokens();
    if (evidence[i].matmul_tokens) {
      iteration.token_source = TokenSource::kFirstMatmul;
    } else if (evidence[i].attention_tokens) {
      iteration.token_source = TokenSource::kAttention;
    }
  }
}

// Whether phases could be told by kernels alone.
bool set_phases(const std::vector<ServingEvidence>& evidence, FoundIterations& found) {
  const std::vector<ServingPhase> phases = phases_of(evidence);
  bool is_told = false;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    found.iterations[i].phase = phases[i];
    is_told |= phases[i] == ServingPhase::kPrefill || phases[i] == ServingPhase::kDecode;
  }
  return is_told;
}

Serving finish_iterations(const trace::Trace& trace, ServingSource source, FoundIterations found) {
  const GraphSteps steps(trace);
  std::uint32_t number = 0;
  for (ServingIteration& iteration : found.iterations) {
    iteration.number = ++number;
    const std::uint32_t step = steps.find(iteration.start_ns);
    if (step != kNone) iteration.step = trace.steps().id[step];
  }
  return {source, std::move(found.iterations)};
}

Serving find_serving(const trace::Trace& trace) {
  using Finder = FoundIterations (*)(const trace::Trace&);
  static constexpr std::array<std::pair<ServingSource, Finder>, 4> kFinders = {{
      {ServingSource::kRanges, iterations_of_ranges},
      {ServingSource::kMarks, iterations_of_marks},
      {ServingSource::kSteps, iterations_of_steps},
      {ServingSource::kReplays, iterations_of_replays},
  }};
  for (const auto& [source, find] : kFinders) {
    FoundIterations found = find(trace);
    if (found.iterations.empty()) continue;
    const std::vector<ServingEvidence> evidence = measure_iterations(trace, found);
    set_tokens(evidence, found);
    const bool has_names = source == ServingSource::kRanges || source == ServingSource::kMarks;
    if (has_names || set_phases(evidence, found)) {
      return finish_iterations(trace, source, std::move(found));
    }
  }
  return {};
}

// Of numbers in order: the smallest that `percent` of them do not exceed.
std::int64_t percentile_of(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  return sorted[std::max<std::size_t>(1, (sorted.size() * percent + 99) / 100) - 1];
}

double mean_of_lengths(const std::vector<std::int64_t>& lengths) {
  double sum = 0;
  for (const std::int64_t length : lengths) sum += static_cast<double>(length);
  return sum / static_cast<double>(lengths.size());
}

ServingSummary summarize_phase(const Serving& serving, ServingPhase phase) {
  ServingSummary row{.phase = phase};
  std::vector<std::int64_t> host;
  std::vector<std::int64_t> device;
  std::vector<Interval> in_progress;
  std::int64_t busy_ns = 0;
  bool all_have_tokens = true;
  std::uint64_t tokens = 0;
  for (const ServingIteration& iteration : serving.iterations) {
    if (iteration.phase != phase) continue;
    ++row.count;
    host.push_back(iteration.host_ns());
    if (const auto device_ns = iteration.device_ns()) device.push_back(*device_ns);
    add_saturated(busy_ns, iteration.device_busy_ns);
    in_progress.push_back(
        {iteration.start_ns, std::max(iteration.end_ns, iteration.device_end_ns.value_or(0))});
    all_have_tokens = all_have_tokens && iteration.tokens.has_value();
    add_saturated(tokens, iteration.tokens.value_or(0));
  }
  if (row.count == 0) return row;
  std::sort(host.begin(), host.end());
  row.host_mean_ns = mean_of_lengths(host);
  row.host_p50_ns = percentile_of(host, 50);
  row.host_p95_ns = percentile_of(host, 95);
  if (!device.empty()) {
    std::sort(device.begin(), device.end());
    row.device_mean_ns = mean_of_lengths(device);
    row.device_p50_ns = percentile_of(device, 50);
    row.device_p95_ns = percentile_of(device, 95);
    const double span_ns = *row.device_mean_ns * static_cast<double>(device.size());
    if (span_ns > 0) row.busy_share = static_cast<double>(busy_ns) / span_ns;
  }
  if (!all_have_tokens) return row;
  row.tokens = tokens;
  const std::int64_t length_ns = total_length(merge_intervals(std::move(in_progress)));
  if (length_ns > 0) {
    row.tokens_per_second = static_cast<double>(tokens) / (static_cast<double>(length_ns) / 1e9);
  }
  return row;
}

}  // namespace

std::int64_t ServingIteration::host_ns() const { return saturated_difference(end_ns, start_ns); }

std::optional<std::int64_t> ServingIteration::device_ns() const {
  if (!device_start_ns || !device_end_ns) return std::nullopt;
  return saturated_difference(*device_end_ns, *device_start_ns);
}

ServingName read_serving_name(std::string_view name) {
  if (const auto batch = read_batch_name(name)) return *batch;
  // Operators have such names too.
  if (name.find("::") != std::string_view::npos) return {};
  std::string lower(name);
  for (char& letter : lower) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  const bool is_prefill = lower.find("prefill") != std::string::npos;
  bool is_decode = false;
  // A decoder is part of a model, and no phase.
  for (std::size_t at = lower.find("decode"); at != std::string::npos;
       at = lower.find("decode", at + 1)) {
    is_decode |= at + 6 >= lower.size() || lower[at + 6] != 'r';
  }
  return {phase_of_counts(is_prefill ? 1 : 0, is_decode ? 1 : 0), std::nullopt};
}

Serving serving(const trace::Trace& trace,
                std::optional<std::pair<std::uint32_t, std::uint32_t>> chosen) {
  Serving result = find_serving(trace);
  if (chosen) {
    std::erase_if(result.iterations, [&](const ServingIteration& iteration) {
      return iteration.number < chosen->first || iteration.number > chosen->second;
    });
  }
  return result;
}

std::vector<ServingSummary> summarize_serving(const Serving& serving) {
  std::vector<ServingSummary> rows;
  for (const ServingPhase phase : {ServingPhase::kPrefill, ServingPhase::kDecode,
                                   ServingPhase::kMixed, ServingPhase::kUnknown}) {
    const ServingSummary row = summarize_phase(serving, phase);
    if (row.count > 0) rows.push_back(row);
  }
  return rows;
}

std::optional<std::int64_t> time_to_first_token_ns(const Serving& serving) {
  for (const ServingIteration& iteration : serving.iterations) {
    if (iteration.phase != ServingPhase::kPrefill && iteration.phase != ServingPhase::kMixed) {
      continue;
    }
    if (!iteration.device_end_ns) return std::nullopt;
    return saturated_difference(*iteration.device_end_ns, iteration.start_ns);
  }
  return std::nullopt;
}

}  // namespace npuprof::analyze
