// Sequences of framework operators for which there is one fused operator of NPUs.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/kernel_class.h"
#include "analyze/operator_times.h"
#include "base/count_text.h"
#include "base/saturated.h"
#include "base/text.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::analyze {
namespace {

// Facts: what a fused operator replaces. Operators are separated by blanks, alternatives by '|',
// without the prefix `aten::`; '?' behind one means that it may be absent.
struct FusedApi {
  std::string_view sequence;
  std::string_view api;
};
constexpr std::array kFusedApis = {
    FusedApi{"matmul|bmm|baddbmm mul|div|mul_|div_? add|add_|masked_fill|masked_fill_? "
             "softmax|_softmax dropout? matmul|bmm",
             "torch_npu.npu_fusion_attention"},
    // As torch.nn.utils.clip_grad_norm_ computes its factor, from the norms of all gradients on.
    FusedApi{"stack linalg_vector_norm|norm add reciprocal|div mul? clamp",
             "clip_grad_norm_fused_ of a fused optimizer of torch_npu"},
    FusedApi{"pow mean add rsqrt mul", "torch_npu.npu_rms_norm"},
    FusedApi{"mul|div add|masked_fill|masked_fill_ softmax|_softmax",
             "torch_npu.npu_scaled_masked_softmax"},
    FusedApi{"chunk|split neg cat mul add", "torch_npu.npu_rotary_mul"},
    FusedApi{"chunk|split silu mul", "torch_npu.npu_swiglu"},
    FusedApi{"chunk|split gelu mul", "torch_npu.npu_geglu"},
    FusedApi{"group_norm|native_group_norm silu", "torch_npu.npu_group_norm_silu"},
    FusedApi{"add|add_ layer_norm|native_layer_norm", "torch_npu.npu_add_layer_norm"},
    FusedApi{"mm|matmul add", "torch.addmm"},
    FusedApi{"matmul|mm add_", "mindspeed.ops.npu_matmul_add_fp32"},
    FusedApi{"transpose|permute reshape|view|contiguous transpose|permute",
             "torch_npu.npu_confusion_transpose"},
    FusedApi{"argsort argsort index_select", "mindspeed.ops.npu_moe_token_permute"},
    FusedApi{"index_select|index mul view|reshape sum", "mindspeed.ops.npu_moe_token_unpermute"},
    FusedApi{"gelu", "torch_npu.fast_gelu"},
};

// Optimizers that have a fused variant.
constexpr std::array<std::string_view, 8> kFusedOptimizers = {
    "Adadelta", "Adam", "AdamP", "AdamW", "BertAdam", "Lamb", "RMSprop", "SGD"};
constexpr std::string_view kOptimizerPrefix = "Optimizer.step#";

using Alternatives = std::vector<StringId>;
struct ApiPattern {
  std::string_view api;
  std::vector<Alternatives> places;
  std::vector<bool> is_optional;
  bool is_possible = true;  // All of its operators are in the profile.
};

ApiPattern compiled_pattern(const FusedApi& fact, const StringPool& strings) {
  ApiPattern pattern{.api = fact.api};
  for (std::string_view place : split(fact.sequence, ' ')) {
    const bool is_optional = place.ends_with('?');
    if (is_optional) place.remove_suffix(1);
    Alternatives ids;
    for (const std::string_view name : split(place, '|')) {
      if (const auto id = strings.find(fmt::format("aten::{}", name))) ids.push_back(*id);
    }
    if (ids.empty() && is_optional) continue;
    pattern.is_possible = pattern.is_possible && !ids.empty();
    pattern.places.push_back(std::move(ids));
    pattern.is_optional.push_back(is_optional);
  }
  return pattern;
}

// Operators of a thread that nothing but ranges of the user or nodes of the backward pass contain.
std::vector<std::vector<std::uint32_t>> outer_operators(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops();
  const auto is_aten = [&](std::uint32_t op) {
    return trace.strings.view(ops.name[op]).starts_with("aten::");
  };
  std::vector<std::uint8_t> below_aten(ops.size());
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> threads;
  for (const std::uint32_t op : operators_by_start(trace)) {
    // Parents come first in this order.
    const std::uint32_t parent = ops.parent[op];
    below_aten[op] = parent != trace::kNone && (below_aten[parent] != 0 || is_aten(parent)) ? 1 : 0;
    if (below_aten[op] != 0 || !is_aten(op)) continue;
    const auto thread = std::find_if(threads.begin(), threads.end(),
                                     [&](const auto& entry) { return entry.first == ops.tid[op]; });
    if (thread == threads.end()) {
      threads.push_back({ops.tid[op], {op}});
    } else {
      thread->second.push_back(op);
    }
  }
  std::vector<std::vector<std::uint32_t>> lists;
  for (auto& [tid, list] : threads) lists.push_back(std::move(list));
  return lists;
}

// How many operators from `at` on the pattern takes; 0 = it does not match.
std::size_t matched_length(const ApiPattern& pattern, const trace::FrameworkOps& ops,
                           const std::vector<std::uint32_t>& list, std::size_t at) {
  const std::size_t first = at;
  for (std::size_t place = 0; place < pattern.places.size(); ++place) {
    const Alternatives& ids = pattern.places[place];
    const bool fits =
        at < list.size() && std::find(ids.begin(), ids.end(), ops.name[list[at]]) != ids.end();
    if (fits) {
      ++at;
    } else if (!pattern.is_optional[place]) {
      return 0;
    }
  }
  return at - first;
}

struct ApiSums {
  std::int64_t count = 0;
  std::int64_t device_ns = 0;
  double gain_ns = 0;
  std::string sequence;  // Of the first.
};

class AffinityCount {
 public:
  AffinityCount(const trace::Trace& trace, const OperatorTimes& times)
      : trace_(trace), times_(times) {
    for (const FusedApi& fact : kFusedApis) {
      patterns_.push_back(compiled_pattern(fact, trace.strings));
    }
    sums_.resize(patterns_.size());
  }

  // Of patterns that fit the first one in the list of facts counts: longer ones stand before their
  // parts.
  void add(const std::vector<std::uint32_t>& list) {
    for (std::size_t at = 0; at < list.size();) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < patterns_.size() && length == 0; ++i) {
        if (!patterns_[i].is_possible) continue;
        length = matched_length(patterns_[i], trace_.framework_ops(), list, at);
        if (length > 0) count(sums_[i], list, at, length);
      }
      at += std::max<std::size_t>(length, 1);
    }
  }

  const std::vector<ApiPattern>& patterns() const { return patterns_; }
  const std::vector<ApiSums>& sums() const { return sums_; }

 private:
  void count(ApiSums& sums, const std::vector<std::uint32_t>& list, std::size_t at,
             std::size_t length) {
    std::int64_t device_ns = 0;
    std::int64_t longest_ns = 0;
    for (std::size_t i = at; i < at + length; ++i) {
      const std::int64_t operator_ns = times_.device_total_ns[list[i]];
      add_saturated(device_ns, operator_ns);
      longest_ns = std::max(longest_ns, operator_ns);
      if (sums.count != 0) continue;
      if (!sums.sequence.empty()) sums.sequence += ", ";
      sums.sequence += trace_.strings.view(trace_.framework_ops().name[list[i]]);
    }
    ++sums.count;
    add_saturated(sums.device_ns, device_ns);
    // Each operator reads and writes once; the fused one does so once for all. The longest one's
    // work is left: a product is not faster for adding something too.
    const double moving_ns = static_cast<double>(device_ns) * (1 - 1 / static_cast<double>(length));
    sums.gain_ns +=
        std::min(moving_ns, static_cast<double>(saturated_difference(device_ns, longest_ns)));
  }

  const trace::Trace& trace_;
  const OperatorTimes& times_;
  std::vector<ApiPattern> patterns_;
  std::vector<ApiSums> sums_;
};

// "Optimizer.step#AdamW.step" -> "AdamW", if there is a fused one.
std::string_view fusible_optimizer(std::string_view name) {
  if (!name.starts_with(kOptimizerPrefix)) return {};
  name.remove_prefix(kOptimizerPrefix.size());
  name = name.substr(0, name.find('.'));
  const auto found = std::find(kFusedOptimizers.begin(), kFusedOptimizers.end(), name);
  return found == kFusedOptimizers.end() ? std::string_view() : *found;
}

void add_optimizers(const trace::Trace& trace, const OperatorTimes& times, Finding& finding) {
  const auto& ops = trace.framework_ops();
  std::vector<std::pair<StringId, ApiSums>> found;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    auto known = std::find_if(found.begin(), found.end(),
                              [&](const auto& entry) { return entry.first == ops.name[i]; });
    if (known == found.end()) {
      if (fusible_optimizer(trace.strings.view(ops.name[i])).empty()) continue;
      known = found.insert(found.end(), {ops.name[i], {}});
    }
    ++known->second.count;
    add_saturated(known->second.device_ns, times.device_total_ns[i]);
  }
  for (const auto& [name, sums] : found) {
    const std::string_view text = trace.strings.view(name);
    finding.evidence.rows.push_back(
        {std::string(text), fmt::format("torch_npu.optim.NpuFused{}", fusible_optimizer(text)),
         sums.count, sums.device_ns});
  }
}

}  // namespace

Findings check_affinity_api(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  if (trace.framework_ops().size() == 0) return {};
  const OperatorTimes times = operator_times(trace);
  AffinityCount count(trace, times);
  for (const auto& list : outer_operators(trace)) count.add(list);
  Finding finding{.name = "affinity_api"};
  finding.evidence.columns = {{"operators", "Operators"},
                              {"fused", "Fused operator"},
                              {"count", "Count", EvidenceKind::kCount},
                              {"device_time", "Device time", EvidenceKind::kTime}};
  double gain_ns = 0;
  for (std::size_t i = 0; i < count.sums().size(); ++i) {
    const ApiSums& sums = count.sums()[i];
    if (sums.count == 0) continue;
    gain_ns += sums.gain_ns;
    finding.evidence.rows.push_back(
        {sums.sequence, std::string(count.patterns()[i].api), sums.count, sums.device_ns});
  }
  add_optimizers(trace, times, finding);
  if (finding.evidence.rows.empty()) return {};
  std::stable_sort(finding.evidence.rows.begin(), finding.evidence.rows.end(),
                   [](const auto& a, const auto& b) {
                     return std::get<std::int64_t>(a[3]) > std::get<std::int64_t>(b[3]);
                   });
  finding.gain_ns = static_cast<std::int64_t>(std::min(gain_ns, 9e18));
  const std::size_t sequences = finding.evidence.rows.size();
  finding.sentence = fmt::format(
      "{} of operators could be one fused operator{}; most time is in what {} replaces.",
      count_text(sequences, "sequence"), for_count(sequences, "", " each"),
      std::get<std::string>(finding.evidence.rows.front()[1]));
  finding.action = "Use the fused operators in the model, or a patch that does (MindSpeed).";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
