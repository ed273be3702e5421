#include "operator_attributes.h"

#include <algorithm>
#include <atomic>

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace npuprof::torch_sim {
namespace {

std::atomic<bool> are_wanted{false};

// Empty if the value is nothing to be shown.
std::string attribute_text(const c10::IValue& value) {
  if (value.isInt()) return fmt::format("{}", value.toInt());
  if (value.isDouble()) return fmt::format("{}", value.toDouble());
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isString()) return value.toStringRef();
  if (value.isIntList()) return fmt::format("[{}]", fmt::join(value.toIntVector(), ","));
  if (value.isDoubleList()) return fmt::format("[{}]", fmt::join(value.toDoubleVector(), ","));
  return {};
}

}  // namespace

std::string attributes_of(const c10::FunctionSchema& schema,
                          std::span<const c10::IValue> arguments) {
  std::string text;
  if (!attributes_are_wanted()) return text;
  const std::size_t count = std::min(schema.arguments().size(), arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string value = attribute_text(arguments[i]);
    if (value.empty()) continue;
    if (!text.empty()) text += ';';
    text.append(schema.arguments()[i].name()).append(":").append(value);
  }
  return text;
}

std::string attributes_of(const at::RecordFunction& function) {
  if (!attributes_are_wanted()) return {};
  const auto name = function.operator_name();
  if (!name) return {};
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  if (!op) return {};
  const auto inputs = function.inputs();
  return attributes_of(op->schema(), {inputs.data(), inputs.size()});
}

std::string attributes_of(const char* name, std::span<const c10::IValue> arguments) {
  if (!attributes_are_wanted()) return {};
  const auto op = c10::Dispatcher::singleton().findSchema({name, ""});
  return op ? attributes_of(op->schema(), arguments) : std::string();
}

bool attributes_are_wanted() { return are_wanted.load(std::memory_order_relaxed); }
void want_attributes(bool wanted) { are_wanted.store(wanted, std::memory_order_relaxed); }

}  // namespace npuprof::torch_sim
