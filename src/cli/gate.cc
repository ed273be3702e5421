#include <memory>
#include <optional>
#include <string>

#include "answers/gate_answer.h"
#include "answers/option_values.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "cli/two_profiles.h"
#include "cli/validators.h"
#include "report/output_file.h"

namespace npuprof::cli {
namespace {

constexpr const char* kGateExamples =
    "Answers: is a step, its computing time, a module or a kind of kernel slower than allowed?\n"
    "With three steps or more on each side there has to be a change (p below 0.01 over all that\n"
    "is judged), and chance must not explain what is beyond the limit (p below 0.1); with fewer\n"
    "the limits alone decide. Collectives are not judged: they wait for other ranks.\n"
    "\n"
    "Needs:   kernels of a device on both sides, raw data or results; steps to tell chance from\n"
    "         change; types and shapes of kernels and ranges of modules to judge those.\n"
    "Collect: profile ten steps or more, step() in the loop, with ProfilerActivity.CPU and NPU "
    "and\n"
    "         profiler_level Level1; the same batch size and model on both sides.\n"
    "\n"
    "Examples:\n"
    "  npuprof gate main_ascend_pt change_ascend_pt --max-regression 5%\n"
    "  npuprof gate baseline.db new_ascend_pt --junit gate.xml\n"
    "\n"
    "Exit status: 0 nothing is slower than allowed, 1 something is, 2 wrong arguments, 3 nothing\n"
    "could be read, there is nothing to judge, or most of the base's time has no partner in the\n"
    "new profile. --junit FILE is written then too, with an error in it.";

struct GateArguments : RunOptions {
  TwoProfiles profiles;
  std::string max_regression;
  std::string max_family_regression;
  std::string junit;
  std::string format = "table";
  std::optional<std::size_t> top;
  bool wide = false;
};

double share_of(const std::string& option, const std::string& text) {
  const auto share = answers::read_share(text);
  if (!share) fail(option, "'" + text + "' is no share: write 5% or 0.05");
  return *share;
}

answers::GateLimits limits_of(const GateArguments& arguments) {
  answers::GateLimits limits;
  if (!arguments.max_regression.empty()) {
    limits.max_regression = share_of("--max-regression", arguments.max_regression);
    limits.max_family_regression = limits.max_regression;
  }
  if (!arguments.max_family_regression.empty()) {
    limits.max_family_regression =
        share_of("--max-family-regression", arguments.max_family_regression);
  }
  return limits;
}

constexpr std::string_view kSuite = "npuprof";

Status write_junit(const std::string& path, const std::string& xml) {
  if (path.empty()) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(const report::OutputFile file, report::OutputFile::find(path));
  return file.write([&](const std::filesystem::path& to) { return write_file(to, xml); });
}

// The exit status.
Result<int> judge(const GateArguments& arguments, const answers::GateLimits& limits,
                  trace::Losses& losses) {
  const AnswerFormat format = answer_format(arguments.format);
  NPUPROF_ASSIGN_OR_RETURN(const LoadedPair pair, load_pair(arguments.profiles, losses));
  NPUPROF_ASSIGN_OR_RETURN(
      const answers::GateResult result,
      answers::gate_profiles(pair.base->request(), pair.other->request(), limits));
  NPUPROF_RETURN_IF_ERROR(write_junit(arguments.junit, answers::gate_junit(result, kSuite)));
  if (!arguments.quiet) {
    print_answer({.mode = "gate",
                  .answer = answers::gate_answer(result),
                  .zero_ns = 0,
                  .simulated = pair.other->trace().session.simulated},
                 format, arguments.top, arguments.wide);
  }
  if (result.is_comparable()) return result.passed ? kOk : kLosses;
  log::error("not judged: {}", answers::gate_partner_sentence(result));
  return kUnreadable;
}

// Who reads the file of the last run must not take it for this one's.
void tell_in_junit(const std::string& path, const Error& error) {
  const Status written = write_junit(path, answers::gate_error_junit(error.message, kSuite));
  if (!written.ok() && written.error().message != error.message) {
    log::error("{}", written.error().message);
  }
}

int run_gate(const GateArguments& arguments) {
  arguments.take_effect();
  const answers::GateLimits limits = limits_of(arguments);
  trace::Losses losses;
  const Result<int> status = judge(arguments, limits, losses);
  warn_of(losses);
  if (status.ok()) return *status;
  log::error("{}", status.error().message);
  tell_in_junit(arguments.junit, status.error());
  return status.error().code == ErrorCode::kInvalidArgument ? kUsage : kUnreadable;
}

}  // namespace

void add_gate_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<GateArguments>();
  CLI::App* command = app.add_subcommand(
      "gate", "Fails if a step, module or kernel is slower than in another profile");
  add_two_profiles(*command, arguments->profiles);
  command->add_option("--max-regression", arguments->max_regression,
                      "How much longer a step may take (default 5%), and "
                      "without\n--max-family-regression a module or a kind of kernel too");
  command->add_option("--max-family-regression", arguments->max_family_regression,
                      "How much longer a module or a kind of kernel may take (default 10%)");
  command->add_option("--junit", arguments->junit, "Write the verdicts as JUnit XML");
  command->add_option("--format", arguments->format, "What is printed: table, csv or json");
  command->add_option("--top", arguments->top, "So many rows of a table; 0 = all")
      ->check(at_least(0));
  add_wide_option(*command, arguments->wide);
  add_run_options(*command, *arguments);
  command->footer(kGateExamples);
  command->callback([arguments, &status] { status = run_gate(*arguments); });
}

}  // namespace npuprof::cli
