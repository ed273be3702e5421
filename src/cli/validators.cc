#include "cli/validators.h"

#include <utility>

#include "answers/option_values.h"
#include "base/text.h"
#include "cli/commands.h"

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

std::vector<analyze::StepRange> chosen_steps(const std::string& option, const std::string& text) {
  if (text.empty()) return {};
  auto steps = answers::read_step_ranges(text);
  if (!steps) fail(option, "'" + text + "' is not of the form 7, 3-5 or 1-3,8");
  return std::move(*steps);
}

}  // namespace npuprof::cli
