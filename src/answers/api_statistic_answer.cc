#include "answers/api_statistic_answer.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "analyze/api_summary.h"
#include "analyze/key_averages.h"
#include "answers/time_columns.h"
#include "answers/wording.h"
#include "format/host/levels.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"

namespace npuprof::answers {
namespace {

std::string api_level_text(std::uint16_t level) {
  const std::string_view name = format::host::level_name(level);
  return name.empty() ? fmt::format("{}", level) : std::string(name);
}

Table api_table(const trace::Trace& trace, const std::vector<analyze::ApiSummary>& rows) {
  Table table("api_statistic", "Host calls by level and name");
  table.usual_rows = 30;
  table.text("level", "Level");
  table.text("name", "Call");
  table.share("share", "Share of level");
  declare_times(table);
  table.comparison = {
      .names = {"level", "name"}, .also = {}, .sums = {"count", "total"}, .values = {"mean"}};
  for (const analyze::ApiSummary& row : rows) {
    table.row(api_level_text(row.level), trace.strings.view(row.name), row.share);
    add_times(table, row.times);
  }
  table.notes.emplace_back(
      "A call contains the calls of lower levels that it makes, so levels do not add up.");
  return table;
}

// The average of `count` times, nothing if there are none.
std::optional<std::int64_t> average_call_ns(std::int64_t total_ns, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return total_ns / static_cast<std::int64_t>(count);
}

std::optional<double> share_of_sum(std::int64_t part_ns, double sum_ns) {
  if (!(sum_ns > 0)) return std::nullopt;
  return static_cast<double>(part_ns) / sum_ns;
}

struct OperatorSums {
  double host_ns = 0;
  double device_ns = 0;
};

OperatorSums sum_operators(const std::vector<analyze::KeyAverage>& operators) {
  OperatorSums sums;
  for (const analyze::KeyAverage& row : operators) {
    sums.host_ns += static_cast<double>(row.self_cpu_ns);
    sums.device_ns += static_cast<double>(row.self_npu_ns);
  }
  return sums;
}

Table framework_operator_table(const std::vector<analyze::KeyAverage>& operators,
                               const OperatorSums& sums) {
  Table table("operators", "Operators of the framework by name");
  table.usual_rows = 20;
  table.text("name", "Operator");
  table.integer("count", "Count");
  table.duration("host_self", "Host self");
  table.share("host_self_share", "Share");
  table.duration("host_total", "Host total");
  table.duration("host_mean", "Host mean");
  table.duration("device_self", "Device self");
  table.share("device_self_share", "Share of device");
  table.duration("device_total", "Device total");
  table.comparison = {
      .names = {"name"}, .also = {}, .sums = {"count", "host_self", "device_self"}, .values = {}};
  const bool has_device = sums.device_ns > 0;
  const auto of_device = [&](std::int64_t time_ns) {
    return has_device ? std::optional(time_ns) : std::nullopt;
  };
  for (const analyze::KeyAverage& row : operators) {
    table.row(row.name, row.count, row.self_cpu_ns, share_of_sum(row.self_cpu_ns, sums.host_ns),
              row.cpu_ns, average_call_ns(row.cpu_ns, row.count), of_device(row.self_npu_ns),
              share_of_sum(row.self_npu_ns, sums.device_ns), of_device(row.npu_ns));
  }
  return table;
}

// Operators by falling self time; what was allocated outside of them takes no time.
std::vector<analyze::KeyAverage> operators_by_self_time(const trace::Trace& trace) {
  std::vector<analyze::KeyAverage> operators = analyze::key_averages(trace, {});
  std::erase_if(operators, [](const auto& row) { return row.name == "[memory]"; });
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.self_cpu_ns > b.self_cpu_ns; });
  return operators;
}

std::string largest_call_sentence(const trace::Trace& trace,
                                  const std::vector<analyze::ApiSummary>& calls) {
  const auto largest = std::max_element(
      calls.begin(), calls.end(),
      [](const auto& a, const auto& b) { return a.times.total_ns < b.times.total_ns; });
  return fmt::format("Of the host's calls {} takes longest: {} in {}, {} of level {}.",
                     trace.strings.view(largest->name), duration_text(largest->times.total_ns),
                     count_text(largest->times.count, "call"), share_text(largest->share),
                     api_level_text(largest->level));
}

std::optional<std::string> slow_call_sentence(const trace::Trace& trace,
                                              const std::vector<analyze::ApiSummary>& calls) {
  const analyze::ApiSummary* worst = nullptr;
  for (const analyze::ApiSummary& row : calls) {
    if (row.times.count < 5 || row.times.median_ns <= 0) continue;
    if (row.times.max_ns / 10 <= row.times.median_ns) continue;
    if (worst == nullptr || row.times.max_ns > worst->times.max_ns) worst = &row;
  }
  if (worst == nullptr) return std::nullopt;
  return fmt::format("The slowest {} takes {}, its median is {}.", trace.strings.view(worst->name),
                     duration_text(worst->times.max_ns), duration_text(worst->times.median_ns));
}

std::string largest_operator_sentence(const std::vector<analyze::KeyAverage>& operators,
                                      const OperatorSums& sums) {
  const analyze::KeyAverage& first = operators.front();
  return fmt::format("Of the operators {} takes most of the host's time: {} in {}, {} of all.",
                     first.name, duration_text(first.self_cpu_ns), count_text(first.count, "call"),
                     share_text(share_of_sum(first.self_cpu_ns, sums.host_ns).value_or(0)));
}

Result<Answer> answer_api_statistic(const Request& request) {
  const trace::Trace& trace = request.trace;
  if (trace.api_calls().size() == 0 && trace.framework_ops().size() == 0) {
    return Error{ErrorCode::kNoData, "the profile has no calls of the host and no operators"};
  }
  Answer answer;
  const std::vector<analyze::ApiSummary> calls = analyze::api_summaries(trace);
  if (!calls.empty()) {
    answer.sentences.push_back(largest_call_sentence(trace, calls));
    if (auto sentence = slow_call_sentence(trace, calls)) {
      answer.sentences.push_back(std::move(*sentence));
    }
    answer.tables.push_back(api_table(trace, calls));
  }
  const std::vector<analyze::KeyAverage> operators = operators_by_self_time(trace);
  if (!operators.empty()) {
    const OperatorSums sums = sum_operators(operators);
    answer.sentences.push_back(largest_operator_sentence(operators, sums));
    answer.tables.push_back(framework_operator_table(operators, sums));
  }
  return answer;
}

}  // namespace

const Mode kApiStatisticMode = {
    .name = "api_statistic",
    .question = "Which calls of the host take its time, and which operators?",
    .explains =
        "Calls of CANN added up by level and name, levels from the framework down, and operators "
        "of the framework with the time of the host and of the kernels they launch. Self is "
        "without nested operators. Quantiles tell a slow call from many.",
    .needs = "calls of CANN on the host, or operators of the framework",
    .collect =
        "profile with ProfilerActivity.CPU for operators and "
        "profiler_level=ProfilerLevel.Level1 for calls of CANN",
    .reads = {trace::Part::kDetails, trace::Part::kMemory, trace::Part::kStacks},
    .options = {},
    .answer = answer_api_statistic,
};

}  // namespace npuprof::answers
