#include "analyze/attention_marks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/marks.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::int64_t kLongestWayNs = 3'000'000;

// Work of attention with the begin of its operator.
struct AttentionCall {
  std::int64_t start_ns;
  std::uint32_t work_row;
};

std::vector<AttentionCall> attention_calls(const trace::Trace& trace, const OperatorWork& work) {
  std::vector<AttentionCall> calls;
  const auto type = trace.strings.find("FlashAttentionScore");
  if (!type) return calls;
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    const std::size_t row = i;
    if (work.op[row] == kNone || work.kind[row] != static_cast<std::uint8_t>(WorkKind::kKernel)) {
      continue;
    }
    if (trace.kernels().op_type[std::size_t{work.row[row]}] != *type) continue;
    calls.push_back({trace.framework_ops().start_ns[work.op[row]], i});
  }
  std::stable_sort(calls.begin(), calls.end(), [](const AttentionCall& a, const AttentionCall& b) {
    return a.start_ns < b.start_ns;
  });
  return calls;
}

std::vector<std::int64_t> numbers_of(const nlohmann::json& object, const char* key) {
  std::vector<std::int64_t> numbers;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return numbers;
  for (const auto& value : *found) {
    if (value.is_number_integer()) numbers.push_back(value.get<std::int64_t>());
  }
  return numbers;
}

}  // namespace

AttentionArguments parse_attention_mark(std::string_view text) {
  AttentionArguments told;
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return told;
  if (const auto layout = json.find("input_layout"); layout != json.end() && layout->is_string()) {
    told.is_told = true;
    told.layout = layout->get<std::string>();
    const auto mode = json.find("sparse_mode");
    told.sparse_mode = mode != json.end() && mode->is_number_integer() ? mode->get<int>() : 0;
    told.query_ends = numbers_of(json, "actual_seq_qlen");
    told.key_ends = numbers_of(json, "actual_seq_kvlen");
  } else if (const auto causal = json.find("is_causal");
             causal != json.end() && causal->is_boolean()) {
    told.is_told = true;
    told.layout = "BNSD";
    told.sparse_mode = causal->get<bool>() ? 2 : 0;
  }
  return told;
}

AttentionMarks attention_marks(const trace::Trace& trace, const OperatorWork& work) {
  AttentionMarks out;
  const auto domain = trace.strings.find("flash_attn_args");
  if (!domain) return out;
  const std::vector<AttentionCall> calls = attention_calls(trace, work);
  const auto& marks = trace.marks();
  // In order of time, so that of several the last one stays.
  std::vector<std::pair<std::int64_t, std::uint32_t>> told;
  for (std::uint32_t i = 0; i < marks.size(); ++i) {
    if (marks.domain[std::size_t{i}] == *domain)
      told.emplace_back(marks.start_ns[std::size_t{i}], i);
  }
  std::stable_sort(told.begin(), told.end());
  out.of_work.assign(work.size(), kNone);
  std::unordered_map<StringId, std::uint32_t> seen;
  for (const auto& [time_ns, mark] : told) {
    const auto call = std::lower_bound(
        calls.begin(), calls.end(), time_ns,
        [](const AttentionCall& a, std::int64_t time) { return a.start_ns < time; });
    if (call == calls.end() || saturated_difference(call->start_ns, time_ns) > kLongestWayNs) {
      continue;
    }
    const StringId message = marks.message[std::size_t{mark}];
    const auto [place, is_new] =
        seen.try_emplace(message, static_cast<std::uint32_t>(out.arguments.size()));
    if (is_new) out.arguments.push_back(parse_attention_mark(trace.strings.view(message)));
    const std::uint32_t op = work.op[std::size_t{call->work_row}];
    for (auto same = call; same != calls.end() && same->start_ns == call->start_ns; ++same) {
      if (work.op[std::size_t{same->work_row}] == op) out.of_work[same->work_row] = place->second;
    }
  }
  return out;
}

}  // namespace npuprof::analyze
