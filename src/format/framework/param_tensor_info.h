#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/framework/tensor_text.h"
#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::framework {

// Fixed part of a record of `torch.param_tensor_info`.
//
// | offset | width | field | meaning                                             |
// |--------|-------|-------|-----------------------------------------------------|
// |      0 |     8 | key   | of the Python call (of a module or optimizer step)  |
struct ParamTensorInfoFixed {
  U64 key;

  static constexpr void visit(auto& self, auto&& field) { field("key", self.key); }
};
static_assert(sizeof(ParamTensorInfoFixed) == 8);

enum class ParamTensorInfoField : std::uint16_t {
  kModuleParameters = 1,
  kOptimizerParameters = 2,
};

// The parameters of one module object or of one optimizer, at its first call. A record has one of
// the two fields. T is the text of a tensor (tensor_text.h), [x] is optional:
//
// | field                | items, joined with '}'                              |
// |----------------------|-----------------------------------------------------|
// | module_parameters    | name ")" T ")" [T of the gradient]                  |
// | optimizer_parameters | T ")" [T of the gradient] ")" ( state ">" T "]" )*  |
struct ParamTensorInfo {
  using Fixed = ParamTensorInfoFixed;
  static constexpr std::uint16_t kType = 5;

  ParamTensorInfoFixed fixed;
  std::optional<std::string_view> module_parameters;
  std::optional<std::string_view> optimizer_parameters;

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("module_parameters", ParamTensorInfoField::kModuleParameters, self.module_parameters);
    field("optimizer_parameters", ParamTensorInfoField::kOptimizerParameters,
          self.optimizer_parameters);
  }
};

struct ModuleParameter {
  std::string_view name;
  TensorText tensor;
  std::optional<TensorText> gradient;

  bool operator==(const ModuleParameter&) const = default;
};
std::optional<ModuleParameter> parse_module_parameter(std::string_view item);

// Appends one more item to the text of a field.
void append_module_parameter(std::string& field, const ModuleParameter& parameter);

struct OptimizerParameter {
  TensorText tensor;
  std::optional<TensorText> gradient;
  std::string_view states;  // See for_each_optimizer_state; empty before the first step.

  bool operator==(const OptimizerParameter&) const = default;
};
std::optional<OptimizerParameter> parse_optimizer_parameter(std::string_view item);
void append_optimizer_parameter(std::string& field, const OptimizerParameter& parameter);

struct OptimizerState {
  std::string_view name;  // Such as "exp_avg".
  TensorText tensor;

  bool operator==(const OptimizerState&) const = default;
};
std::optional<OptimizerState> parse_optimizer_state(std::string_view item);
void append_optimizer_state(std::string& states, const OptimizerState& state);

namespace internal {

template <typename Parse, typename Visit>
std::size_t for_each_parsed(std::optional<std::string_view> text, char separator, Parse parse,
                            Visit& visit) {
  if (!text || text->empty()) return 0;
  std::size_t malformed = 0;
  for_each_item(text, separator, [&](std::string_view item) {
    if (const auto parsed = parse(item)) {
      visit(*parsed);
    } else {
      ++malformed;
    }
  });
  return malformed;
}

}  // namespace internal

// Each calls visit for the items of a field and returns how many items were malformed.
template <std::invocable<const ModuleParameter&> Visit>
std::size_t for_each_module_parameter(std::optional<std::string_view> field, Visit&& visit) {
  return internal::for_each_parsed(field, '}', parse_module_parameter, visit);
}

template <std::invocable<const OptimizerParameter&> Visit>
std::size_t for_each_optimizer_parameter(std::optional<std::string_view> field, Visit&& visit) {
  return internal::for_each_parsed(field, '}', parse_optimizer_parameter, visit);
}

template <std::invocable<const OptimizerState&> Visit>
std::size_t for_each_optimizer_state(std::string_view states, Visit&& visit) {
  if (states.ends_with(']')) states.remove_suffix(1);
  return internal::for_each_parsed(states, ']', parse_optimizer_state, visit);
}

}  // namespace npuprof::format::framework
