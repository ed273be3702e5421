#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/parse_options.h"
#include "cli/parse_profiles.h"
#include "cli/parse_summary.h"
#include "cli/query.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "load/discover.h"

namespace npuprof::cli {
namespace {

int report_problems(const std::vector<ParseOutcome>& outcomes) {
  std::size_t failed = 0;
  bool lossy = false;
  for (const ParseOutcome& outcome : outcomes) {
    warn_of(outcome.losses);
    lossy = lossy || !outcome.losses.empty();
    if (outcome.status.ok()) continue;
    log::error("'{}': {}", outcome.path.native(), outcome.status.error().message);
    ++failed;
  }
  if (failed == outcomes.size()) return kUnreadable;
  return failed > 0 || lossy ? kLosses : kOk;
}

int run_parse(const ParseOptions& options) {
  options.take_effect();
  const ParsePlan plan = plan_parse(options);
  auto found = load::discover(plan.path);
  if (!found.ok()) {
    log::error("{}", found.error().message);
    return kUnreadable;
  }
  found->prefer_raw_data();
  for (const std::string& notice : found->notices) log::warning("{}", notice);
  const std::vector<load::Profile>& profiles = found->profiles;
  const bool writes = !plan.query && !plan.only_read;
  if (writes && !profiles.front().has_raw_data() && plan.settings.output.empty()) {
    log::error(
        "'{}' holds no raw profile but results of {}: to write those in another form say where "
        "with --output (and --export text, db or perfetto)",
        plan.path, profiles.size() == 1 ? "one" : fmt::to_string(profiles.size()) + " ranks");
    return kUsage;
  }
  std::error_code ignored;
  const std::filesystem::path& output = plan.settings.output;
  if (std::filesystem::exists(output, ignored) && !std::filesystem::is_directory(output, ignored)) {
    log::error("'{}' is no folder: results are written below one", output.native());
    return kUnreadable;
  }
  if (plan.query || plan.only_read) return tell_of_profiles(profiles, plan.query, options.json);
  const std::vector<ParseOutcome> outcomes =
      parse_profiles(profiles, plan.settings, shared_thread_pool());
  if (options.json) {
    print(summary_json(outcomes, found->notices) + "\n");
  } else if (!options.quiet) {
    print(summary_text(outcomes, found->notices));
  }
  const int status = report_problems(outcomes);
  return status == kOk && !found->notices.empty() ? kLosses : status;
}

}  // namespace

void add_parse_command(CLI::App& app, int& status) {
  auto options = std::make_shared<ParseOptions>();
  CLI::App* command = app.add_subcommand("parse", "Raw profile directories to result files");
  add_parse_options(*command, *options);
  command->callback([options, &status] { status = run_parse(*options); });
}

void add_msprof_command(CLI::App& app, int& status) {
  auto options = std::make_shared<ParseOptions>();
  CLI::App* command = app.add_subcommand(
      "msprof", "The same with the command line of msprof, and commands of msprof.py");
  add_parse_options(*command, *options);
  command->callback([options, &status] { status = run_parse(*options); });
}

}  // namespace npuprof::cli
