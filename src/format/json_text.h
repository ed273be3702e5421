#pragma once

// Reading and writing small JSON files with a chosen layout. Included by .cc files only, so that
// the JSON library stays out of other headers.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace npuprof::format {

using Json = nlohmann::ordered_json;

struct JsonStyle {
  int indent = 0;  // 0: everything on one line.
  // What follows the comma if all is on one line, and the colon.
  std::string_view after_comma = " ";
  std::string_view after_colon = " ";
  bool escapes_non_ascii = false;  // Else such text stands as it is.
};

// Parses any JSON value; nothing if `text` is none, or is larger or deeper than a file of a
// profile can be.
std::optional<Json> parse_json(std::string_view text);

// Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& value, const JsonStyle& style);

}  // namespace npuprof::format
