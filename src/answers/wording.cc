#include "answers/wording.h"

#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace npuprof::answers {
namespace {

struct WordedUnit {
  double size;
  std::string_view name;
};

// Three digits in the largest unit that leaves at least one before the point.
std::string in_largest_unit(double value, std::span<const WordedUnit> units) {
  const WordedUnit* unit = &units.front();
  for (const WordedUnit& larger : units) {
    // 999.6 would be printed as 1000 of the smaller unit.
    if (std::abs(value) >= larger.size * 0.9995) unit = &larger;
  }
  const double number = value / unit->size;
  int decimals = 0;
  if (unit != &units.front()) decimals = std::abs(number) < 9.995 ? 2 : std::abs(number) < 99.95;
  return fmt::format("{:.{}f} {}", number, decimals, unit->name);
}

}  // namespace

std::string duration_text(std::int64_t duration_ns) {
  static constexpr std::array<WordedUnit, 4> kUnits = {
      {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
  return in_largest_unit(static_cast<double>(duration_ns), kUnits);
}

std::string bytes_text(std::int64_t bytes) {
  static constexpr std::array<WordedUnit, 5> kUnits = {{{1, "B"},
                                                        {1024, "KB"},
                                                        {1024.0 * 1024, "MB"},
                                                        {1024.0 * 1024 * 1024, "GB"},
                                                        {1024.0 * 1024 * 1024 * 1024, "TB"}}};
  return in_largest_unit(static_cast<double>(bytes), kUnits);
}

std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string short_text(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() <= kLongest) return std::string(text);
  std::size_t end = kLongest - 3;
  // Not inside a character of several bytes.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace npuprof::answers
