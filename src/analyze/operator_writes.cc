#include "analyze/operator_writes.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "analyze/operator_outputs.h"
#include "base/text.h"

namespace npuprof::analyze {
namespace {

using format::framework::InputKind;

constexpr std::uint32_t kFirst = 1;

// Operators that change other inputs than the rules say.
constexpr std::pair<std::string_view, std::uint32_t> kExceptions[] = {
    {"_amp_foreach_non_finite_check_and_unscale_", 0b11},
    {"_amp_update_scale_", 0b11},
    {"_cummax_helper", 0b110},
    {"_cummin_helper", 0b110},
    {"_fused_adam_", 0b11111},
    {"_fused_adamw_", 0b11111},
    {"_fused_moving_avg_obs_fq_helper", 0b1111000},
    {"_fused_sgd_", 0b111},
    {"_native_batch_norm_legit", 0b11000},
    {"fused_moving_avg_obs_fake_quant", 0b1111000},
    {"set_data", kFirst},
};

// Names of operators in place end with '_': `add_`, `_foreach_mul_`; those of Python's `a += b`
// are `__iadd__`.
bool is_in_place(std::string_view name) {
  if (name.ends_with("__")) return name.starts_with("__i") && name != "__invert__";
  return name.ends_with('_');
}

bool is_namespace(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_part);
}

using VariantMap = std::unordered_multimap<std::string_view, const OutputVariants*>;

const VariantMap& variants_by_name() {
  static const VariantMap map = [] {
    VariantMap result;
    for (const OutputVariants& variants : output_variants()) {
      for (const std::string_view name : split(variants.names, ' ')) {
        result.emplace(name, &variants);
      }
    }
    return result;
  }();
  return map;
}

bool is_tensor(InputKind kind) {
  return kind == InputKind::kTensor || kind == InputKind::kTensorList;
}

}  // namespace

OperatorWrites OperatorWrites::of(std::string_view name) {
  OperatorWrites result;
  const std::size_t colons = name.find("::");
  if (colons == std::string_view::npos || !is_namespace(name.substr(0, colons))) return result;
  const std::string_view base = name.substr(colons + 2);
  if (base.empty() || base.find(':') != std::string_view::npos) return result;
  result.is_operator_ = true;
  if (is_in_place(base)) result.positions_ = kFirst;
  for (const auto& [exception, positions] : kExceptions) {
    if (base == exception) result.positions_ = positions;
  }
  if (name.starts_with("aten::")) {
    const auto [first, last] = variants_by_name().equal_range(base);
    for (auto found = first; found != last; ++found) {
      result.variants_.push_back({found->second->inputs, found->second->outputs});
    }
  }
  return result;
}

bool OperatorWrites::writes(std::size_t position, std::span<const InputKind> kinds) const {
  if (position < 32 && (positions_ >> position & 1) != 0) return true;
  return std::any_of(variants_.begin(), variants_.end(), [&](const Variant& variant) {
    return kinds.size() == variant.inputs && position + variant.outputs >= variant.inputs &&
           std::all_of(kinds.end() - variant.outputs, kinds.end(), is_tensor);
  });
}

}  // namespace npuprof::analyze
