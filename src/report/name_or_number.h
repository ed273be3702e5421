#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace npuprof::report {

// The name of an enumerated value, or its number if it has none.
inline std::string name_or_number(std::string_view name, std::uint32_t number) {
  return name.empty() ? std::to_string(number) : std::string(name);
}

}  // namespace npuprof::report
