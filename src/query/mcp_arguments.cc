#include "query/mcp_arguments.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace npuprof::query {
namespace {

using nlohmann::json;

std::optional<std::int64_t> whole_number(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    constexpr double kExact = 9007199254740992;  // 2^53
    if (!(number >= -kExact && number <= kExact)) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? std::optional(whole) : std::nullopt;
  }
  if (value.is_string()) return parse_number<std::int64_t>(value.get<std::string>());
  return std::nullopt;
}

std::optional<std::string> plain_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

std::string argument_names(const std::vector<ToolArgument>& arguments) {
  std::string names;
  for (const ToolArgument& argument : arguments) {
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names.empty() ? "none" : names;
}

Status read_argument(const ToolArgument& argument, const json& value, ReadArguments& read) {
  if (argument.is_integer) {
    const auto number = whole_number(value);
    if (!number) {
      return Error{ErrorCode::kInvalidArgument, argument.name + " has to be a whole number"};
    }
    read.integers[argument.name] = *number;
    return ok_status();
  }
  auto text = plain_text(value);
  if (!text) return Error{ErrorCode::kInvalidArgument, argument.name + " has to be a text"};
  read.texts[argument.name] = std::move(*text);
  return ok_status();
}

}  // namespace

json schema_of(const std::vector<ToolArgument>& arguments) {
  json properties = json::object();
  json required = json::array();
  for (const ToolArgument& argument : arguments) {
    properties[argument.name] = {{"type", argument.is_integer ? "integer" : "string"},
                                 {"description", argument.about}};
    if (argument.is_required) required.push_back(argument.name);
  }
  json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

std::string ReadArguments::text(std::string_view name) const {
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

std::optional<std::int64_t> ReadArguments::integer(std::string_view name) const {
  const auto found = integers.find(name);
  return found == integers.end() ? std::nullopt : std::optional(found->second);
}

Result<ReadArguments> read_arguments(const std::vector<ToolArgument>& known, const json& given) {
  ReadArguments read;
  for (const auto& [name, value] : given.items()) {
    if (value.is_null()) continue;
    const auto argument =
        std::find_if(known.begin(), known.end(),
                     [&name = name](const ToolArgument& one) { return one.name == name; });
    if (argument == known.end()) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("there is no argument '{}'; there are: {}", name, argument_names(known))};
    }
    NPUPROF_RETURN_IF_ERROR(read_argument(*argument, value, read));
  }
  for (const ToolArgument& argument : known) {
    if (argument.is_required && !given.contains(argument.name)) {
      return Error{ErrorCode::kInvalidArgument, argument.name + " is missing: " + argument.about};
    }
  }
  return read;
}

}  // namespace npuprof::query
