#pragma once

// Factors between units, and what results show where there is no value.

#include <string_view>

namespace npuprof {

inline constexpr double kPercent = 100;
inline constexpr double kKilobyte = 1024;
inline constexpr double kMegabyte = kKilobyte * kKilobyte;

// Only in results: inside the program an absent text is the empty one.
inline constexpr std::string_view kNotAvailable = "N/A";

// A text of a result as the program has it.
constexpr std::string_view known_text(std::string_view text) {
  return text == kNotAvailable ? std::string_view() : text;
}
// A text of the program as results show it.
constexpr std::string_view result_text(std::string_view text) {
  return text.empty() ? kNotAvailable : text;
}

}  // namespace npuprof
