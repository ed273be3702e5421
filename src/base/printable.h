#pragma once

#include <string>
#include <string_view>

namespace npuprof {

// Names of files may hold anything. For a person's eyes: control characters, which a terminal would
// obey, and bytes that are not UTF-8 are written as "\x1b"; those in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace npuprof
