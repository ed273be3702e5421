#pragma once

#include <cstdint>
#include <string_view>

namespace npuprof::load {

// The number below 16 whose name is `name`, for enumerations whose numbers are known by a function
// from number to name. `absent` if there is none.
template <typename NameOf>
std::uint32_t number_of_name(std::string_view name, NameOf name_of, std::uint32_t absent) {
  constexpr std::uint32_t kNumbers = 16;
  if (name.empty()) return absent;
  for (std::uint32_t number = 0; number < kNumbers; ++number) {
    if (name_of(number) == name) return number;
  }
  return absent;
}

}  // namespace npuprof::load
