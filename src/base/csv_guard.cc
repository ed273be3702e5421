#include "base/csv_guard.h"

#include <algorithm>

#include "base/text.h"

namespace npuprof {
namespace {

// Whether a formula begins after any number of apostrophes.
bool begins_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of('\'');
  if (first == std::string_view::npos) return false;
  const char c = text[first];
  return c == '=' || c == '+' || c == '-' || c == '@';
}

// Nothing but a sign, a number, or several of them (shapes): there is nothing to compute.
bool is_harmless(std::string_view text) {
  constexpr std::string_view kBetween = ",; ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    std::string_view part = text.substr(0, end);
    if (part.starts_with('+')) part.remove_prefix(1);
    if (!part.empty() && part != "-" && !parse_number<double>(part)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

bool needs_csv_guard(std::string_view text) {
  if (text.empty()) return false;
  switch (text.front()) {
    case '=':
    case '@':
      return true;
    case '+':
    case '-':
      return !is_harmless(text);
    case '\'':
      return begins_formula(text);
    default:
      return false;
  }
}

std::string_view without_csv_guard(std::string_view cell) {
  if (cell.starts_with('\'') && begins_formula(cell)) cell.remove_prefix(1);
  return cell;
}

}  // namespace npuprof
