#include <memory>
#include <optional>
#include <string>

#include "answers/compare_answer.h"
#include "answers/selection.h"
#include "base/log.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "cli/two_profiles.h"
#include "cli/validators.h"

namespace npuprof::cli {
namespace {

constexpr const char* kCompareExamples =
    "Answers: which steps, modules, operators, kernels, collectives, calls of the host and peaks\n"
    "of memory take more in NEW than in BASE, by how much, because of which kernels, and whether\n"
    "that is more than steps differ among themselves (three steps or more on each side).\n"
    "\n"
    "Needs:   operators or tasks of a device on both sides: raw data or results, or a timeline of\n"
    "         PyTorch's profiler on a GPU.\n"
    "Collect: profile with ProfilerActivity.CPU and NPU, profiler_level Level1 and step() in the\n"
    "         loop; record_shapes=True for shapes, with_modules=True or mstx=True for modules,\n"
    "         profile_memory=True for memory. What one side lacks is said.\n"
    "\n"
    "Examples:\n"
    "  npuprof compare before_ascend_pt after_ascend_pt\n"
    "  npuprof compare worker_ascend_pt --base-step 3 --step 8     two steps of one profile\n"
    "  npuprof compare gpu.pt.trace.json worker_ascend_pt          PyTorch on a GPU beside it\n"
    "  npuprof compare before after --rank 2 -o out --export-type xlsx\n"
    "\n"
    "Exit status: 0 all well, 1 finished with losses, 2 wrong arguments, 3 nothing to compare.\n"
    "`npuprof gate` judges the difference.";

struct CompareArguments : RunOptions {
  TwoProfiles profiles;
  std::string output;
  std::string export_type;
  std::string format = "table";
  answers::Selection selection;
  bool wide = false;
};

Status compare(const CompareArguments& arguments, const std::optional<ExportType>& exports,
               trace::Losses& losses) {
  const AnswerFormat format = answer_format(arguments.format);
  NPUPROF_ASSIGN_OR_RETURN(const LoadedPair pair, load_pair(arguments.profiles, losses));
  ShownAnswer shown{.mode = "compare"};
  NPUPROF_ASSIGN_OR_RETURN(shown.answer,
                           answers::compare_profiles(pair.base->request(), pair.other->request()));
  shown.zero_ns = pair.other->zero_ns();
  shown.simulated = pair.base->trace().session.simulated || pair.other->trace().session.simulated;
  std::string written;
  if (exports) {
    const std::string folder = arguments.output.empty() ? "." : arguments.output;
    NPUPROF_ASSIGN_OR_RETURN(const auto files,
                             write_answer(shown, *exports, folder, pair.other->rank()));
    for (const auto& file : files) written += "Written: " + file.native() + "\n";
  }
  NPUPROF_RETURN_IF_ERROR(select_rows(shown.answer, arguments.selection));
  if (arguments.quiet) return ok_status();
  print_answer(shown, format, rows_to_show(arguments.selection), arguments.wide);
  if (format == AnswerFormat::kTable && !written.empty()) print("\n" + written);
  return ok_status();
}

int run_compare(const CompareArguments& arguments) {
  arguments.take_effect();
  std::optional<ExportType> exports;
  if (!arguments.export_type.empty()) exports = export_type(arguments.export_type);
  if (!exports && !arguments.output.empty()) exports = ExportType::kWorkbook;
  if (exports == ExportType::kPage) fail("--export-type", "text, db, xlsx or json");
  trace::Losses losses;
  const Status status = compare(arguments, exports, losses);
  warn_of(losses);
  if (!status.ok()) {
    log::error("{}", status.error().message);
    return status.error().code == ErrorCode::kInvalidArgument ? kUsage : kUnreadable;
  }
  return losses.empty() ? kOk : kLosses;
}

}  // namespace

void add_compare_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "What of one profile takes longer in another, and why");
  add_two_profiles(*command, arguments->profiles);
  command->add_option("-o,--output-path", arguments->output,
                      "Write files below this folder too (default: print only)");
  command->add_option("--export-type", arguments->export_type,
                      "Files to write: xlsx (default), text (CSV), db or json");
  command->add_option("--format", arguments->format, "What is printed: table, csv or json");
  command->add_option("--name", arguments->selection.name,
                      "Only rows with a text that matches this regular expression");
  command->add_option("--sort", arguments->selection.sort, "Order by this column, largest first");
  command->add_option("--top", arguments->selection.top, "So many rows of each table; 0 = all")
      ->check(at_least(0));
  add_wide_option(*command, arguments->wide);
  add_run_options(*command, *arguments);
  command->footer(kCompareExamples);
  command->callback([arguments, &status] { status = run_compare(*arguments); });
}

}  // namespace npuprof::cli
