#pragma once

#include <string>
#include <string_view>

namespace npuprof {

// Appends text so that XML and HTML show it as it is, in elements and in quoted attributes.
// Characters that XML 1.0 cannot hold become U+FFFD.
void append_markup(std::string& out, std::string_view text);

inline std::string markup(std::string_view text) {
  std::string out;
  append_markup(out, text);
  return out;
}

}  // namespace npuprof
