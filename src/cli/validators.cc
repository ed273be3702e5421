#include "cli/validators.h"

#include <string>

#include "base/text.h"

namespace npuprof::cli {

CLI::Validator at_least(std::int64_t least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        const auto number = parse_number<double>(text);
        const bool is_good = number && *number >= static_cast<double>(least);
        return is_good ? "" : "'" + text + "' is no number of at least " + std::to_string(least);
      },
      "");
}

CLI::Validator thread_count() {
  // More than any machine has cores for; each takes memory even if it finds no work.
  constexpr unsigned kMost = 4096;
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const auto number = parse_number<unsigned>(text);
        const bool is_good = number && *number <= kMost;
        return is_good
                   ? ""
                   : "'" + text + "' is no number of threads from 0 to " + std::to_string(kMost);
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) -> std::string { return text.empty() ? "the name is empty" : ""; }, "");
}

}  // namespace npuprof::cli
