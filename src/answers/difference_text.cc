#include "answers/difference_text.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace npuprof::answers {

std::string time_text(double ns) {
  constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; std::abs(ns) >= 1000 && unit + 1 < kUnits.size(); ++unit) ns /= 1000;
  const double size = std::abs(ns);
  const int decimals = unit == 0 || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return fmt::format("{:.{}f} {}", ns, decimals, kUnits[unit]);
}

std::string change_text(double change) {
  if (std::isnan(change)) return "";
  if (std::isinf(change)) return "new";
  return fmt::format("{:+.1f} %", 100 * change);
}

std::string chance_text(double chance) {
  if (std::isnan(chance)) return "not tested";
  return chance < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", chance);
}

}  // namespace npuprof::answers
