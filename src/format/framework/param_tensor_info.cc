#include "format/framework/param_tensor_info.h"

#include <array>

namespace npuprof::format::framework {
namespace {

// The three parts of an item, between its two ')'.
std::optional<std::array<std::string_view, 3>> split_item(std::string_view item) {
  std::array<std::string_view, 3> parts;
  TextItems reader(item, ')');
  for (std::string_view& part : parts) {
    const auto next = reader.next();
    if (!next) return std::nullopt;
    part = *next;
  }
  if (reader.next()) return std::nullopt;
  return parts;
}

void append_optional_tensor(std::string& out, const std::optional<TensorText>& tensor) {
  if (tensor) append_tensor(out, *tensor);
}

}  // namespace

std::optional<ModuleParameter> parse_module_parameter(std::string_view item) {
  const auto parts = split_item(item);
  if (!parts) return std::nullopt;
  const auto tensor = parse_tensor((*parts)[1]);
  const auto gradient = parse_tensor((*parts)[2]);
  if (!tensor || (!gradient && !(*parts)[2].empty())) return std::nullopt;
  return ModuleParameter{(*parts)[0], *tensor, gradient};
}

void append_module_parameter(std::string& field, const ModuleParameter& parameter) {
  if (!field.empty()) field += '}';
  field += parameter.name;
  field += ')';
  append_tensor(field, parameter.tensor);
  field += ')';
  append_optional_tensor(field, parameter.gradient);
}

std::optional<OptimizerParameter> parse_optimizer_parameter(std::string_view item) {
  const auto parts = split_item(item);
  if (!parts) return std::nullopt;
  const auto tensor = parse_tensor((*parts)[0]);
  const auto gradient = parse_tensor((*parts)[1]);
  if (!tensor || (!gradient && !(*parts)[1].empty())) return std::nullopt;
  return OptimizerParameter{*tensor, gradient, (*parts)[2]};
}

void append_optimizer_parameter(std::string& field, const OptimizerParameter& parameter) {
  if (!field.empty()) field += '}';
  append_tensor(field, parameter.tensor);
  field += ')';
  append_optional_tensor(field, parameter.gradient);
  field += ')';
  field += parameter.states;
}

std::optional<OptimizerState> parse_optimizer_state(std::string_view item) {
  // The first '>' ends the name; a type name such as c10::complex<float> may hold another.
  const std::size_t name_end = item.find('>');
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto tensor = parse_tensor(item.substr(name_end + 1));
  if (!tensor) return std::nullopt;
  return OptimizerState{item.substr(0, name_end), *tensor};
}

void append_optimizer_state(std::string& states, const OptimizerState& state) {
  states += state.name;
  states += '>';
  append_tensor(states, state.tensor);
  states += ']';
}

}  // namespace npuprof::format::framework
