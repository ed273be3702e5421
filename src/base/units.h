#pragma once

// Factors between units, and what a table shows where there is no value.

#include <string_view>

namespace npuprof {

inline constexpr double kPercent = 100;
inline constexpr double kKilobyte = 1024;
inline constexpr double kMegabyte = kKilobyte * kKilobyte;

inline constexpr std::string_view kNotAvailable = "N/A";

}  // namespace npuprof
