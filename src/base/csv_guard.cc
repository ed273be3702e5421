#include "base/csv_guard.h"

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

// A number, several of them (shapes), or nothing but a sign: neither calls nor refers to anything.
bool is_harmless(std::string_view text) {
  return text.find_first_not_of("0123456789.,;+- ") == std::string_view::npos ||
         parse_number<double>(text).has_value();
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
