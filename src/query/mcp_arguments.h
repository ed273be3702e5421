#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace npuprof::query {

// An argument of a tool, for its schema and to read what a call brings.
struct ToolArgument {
  std::string name;
  bool is_integer = false;  // Else a text.
  std::string about;
  bool is_required = false;
};

nlohmann::json schema_of(const std::vector<ToolArgument>& arguments);

// What a call brings. Numbers are taken where texts are due, and the other way round where the text
// is a number; what is null is left out. Anything else is an error that says what to do.
struct ReadArguments {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::int64_t, std::less<>> integers;

  std::string text(std::string_view name) const;  // Empty if it was not given.
  std::optional<std::int64_t> integer(std::string_view name) const;
};
Result<ReadArguments> read_arguments(const std::vector<ToolArgument>& known,
                                     const nlohmann::json& given);

}  // namespace npuprof::query
