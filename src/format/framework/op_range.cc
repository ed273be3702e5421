#include "format/framework/op_range.h"

#include "base/text.h"

namespace npuprof::format::framework {

std::optional<std::string_view> profiler_step_id(std::string_view op_name) {
  if (op_name.find(kProfilerStepPrefix) == std::string_view::npos) return std::nullopt;
  return op_name.substr(op_name.rfind('#') + 1);
}

std::optional<double> counter_value(std::string_view extra_args) {
  if (!extra_args.starts_with(kCounterArgument)) return std::nullopt;
  return parse_number<double>(extra_args.substr(kCounterArgument.size()));
}

std::optional<std::uint64_t> flops_value(std::string_view extra_args) {
  TextItems arguments(extra_args, ';');
  while (const auto argument = arguments.next()) {
    if (!argument->starts_with(kFlopsArgument)) continue;
    return parse_number<std::uint64_t>(argument->substr(kFlopsArgument.size()));
  }
  return std::nullopt;
}

}  // namespace npuprof::format::framework
