#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "answers/mode.h"
#include "answers/name_expression.h"
#include "answers/option_values.h"
#include "answers/selection.h"
#include "base/log.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/loaded_profile.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "cli/validators.h"

namespace npuprof::cli {
namespace {

struct AnalyzeArguments : RunOptions {
  std::string mode;
  std::string path;
  std::string output;
  std::string export_type;
  std::string format = "table";
  std::string ranks;
  std::string steps;
  std::string iterations;
  answers::Selection selection;
  std::map<std::string, std::string, std::less<>> options;  // Of the mode.
  std::string parallel_mode;                                // Known to others, of no use here.
  bool force = false;                                       // Likewise.
  bool explain = false;
  bool wide = false;
};

// What they come to.
struct AnalyzePlan {
  const answers::Mode* mode = nullptr;
  AnswerFormat format = AnswerFormat::kTable;
  std::optional<ExportType> exports;
  std::vector<std::int32_t> ranks;
  ChosenSteps steps;
};

std::string mode_names() {
  std::string names;
  for (const answers::Mode* mode : answers::all_modes()) {
    names += (names.empty() ? "" : ", ") + std::string(mode->name);
  }
  return names;
}

std::string analyze_footer() {
  std::string text = "Modes (`npuprof analyze -m MODE --help` says more about one):\n";
  for (const answers::Mode* mode : answers::all_modes()) {
    text += fmt::format("  {:<17} {}\n", mode->name, mode->question);
  }
  return text +
         "\nExamples:\n"
         "  npuprof analyze -m step_time -d worker_ascend_pt\n"
         "  npuprof analyze -m kernels -d runs/ --rank 3 --step 5 --name MatMul --sort duration\n"
         "  npuprof analyze -m module_statistic -d runs/ -o out --export-type xlsx\n"
         "  npuprof analyze -m idle -d worker_ascend_pt --format json | jq .tables.causes\n"
         "\n"
         "Exit status: 0 all well, 1 finished with losses, 2 wrong arguments, 3 the profile "
         "cannot\n"
         "answer the question, or nothing could be read or written.";
}

// Modes of msprof-analyze that are not there, with what answers most of their question.
struct MissingMode {
  std::string_view name;
  std::string_view instead;  // Empty = nothing does yet.
};

constexpr MissingMode kMissingModes[] = {
    {"all", ""},
    {"communication_time", "communication, rank by rank"},
    {"communication_matrix", "communication, rank by rank"},
    {"communication_group_map", ""},
    {"communication_time_sum", "communication, rank by rank"},
    {"communication_matrix_sum", "communication, rank by rank"},
    {"communication_bottleneck", ""},
    {"compute_op_sum", "op_statistic, rank by rank"},
    {"hccl_sum", "communication, rank by rank"},
    {"cann_api_sum", "api_statistic, rank by rank"},
    {"mstx_sum", "`npuprof sql PATH \"select * from marks\"`"},
    {"slow_rank", ""},
    {"slow_rank_pp_stage", ""},
    {"slow_link", ""},
    {"free_analysis", "idle, which explains every gap"},
    {"freq_analysis", "advisor, whose check `frequency` finds lowered clocks"},
    {"ep_load_balance", ""},
    {"pp_chart", ""},
    {"p2p_pairing", ""},
    {"mstx2commop", ""},
    {"cluster_time_summary", "step_time, rank by rank"},
    {"cluster_time_compare_summary", "`npuprof compare`, rank by rank"},
    {"computational_op_masking",
     "communication, whose column Not overlapped is what nothing hides"},
    {"calibrate_npu_gpu", "`npuprof compare` with a timeline of PyTorch's profiler"},
    {"export_summary", "`npuprof parse`, which writes these tables"},
    {"filter_db", ""},
};

std::string unknown_mode(const std::string& name) {
  for (const MissingMode& missing : kMissingModes) {
    if (missing.name != name) continue;
    return fmt::format(
        "'{}' is a mode of msprof-analyze that npuprof does not have yet{}{}; there "
        "are {}",
        name, missing.instead.empty() ? "" : "; what comes nearest is ", missing.instead,
        mode_names());
  }
  return "'" + name + "' is no mode; there are " + mode_names();
}

// All that a mode says about itself.
std::string explanation(const answers::Mode& mode) {
  std::string text = fmt::format("{}: {}\n\n{}\n\nNeeds:   {}\nCollect: {}\n", mode.name,
                                 mode.question, mode.explains, mode.needs, mode.collect);
  for (const answers::ModeOption& option : mode.options) {
    text += fmt::format("  --{:<20} {}\n", option.name, option.help);
  }
  return text + "\nOptions of all modes: npuprof analyze --help\n";
}

std::vector<std::int32_t> ranks_of(const std::string& text) {
  if (text.empty() || text == "all") return {};
  auto ranks = answers::read_ranks(text);
  if (!ranks) fail("--rank-list", "'" + text + "' is not of the form 0,1,5");
  return std::move(*ranks);
}

// Steps of another kind. The mode serving numbers iterations before it leaves any out.
void choose_iterations(const std::string& text, AnalyzePlan& plan) {
  if (plan.mode->name == "serving") return;
  if (!plan.steps.ranges.empty()) fail("--iterations", "choose steps or iterations, not both");
  const auto range = answers::read_range(text);
  if (!range) fail("--iterations", "'" + text + "' is not of the form 3..7");
  plan.steps = {.ranges = {{range->first, range->second}}, .are_iterations = true};
}

AnalyzePlan plan_analysis(const AnalyzeArguments& arguments) {
  AnalyzePlan plan;
  plan.mode = answers::find_mode(arguments.mode);
  if (plan.mode == nullptr) {
    fail("--mode", unknown_mode(arguments.mode));
  }
  plan.format = answer_format(arguments.format);
  if (!arguments.export_type.empty()) plan.exports = export_type(arguments.export_type);
  if (plan.exports == ExportType::kPage && plan.mode->name != "advisor") {
    fail("--export-type", "a page is made of the mode advisor alone");
  }
  if (!arguments.output.empty() && !plan.exports) plan.exports = ExportType::kText;
  plan.ranks = ranks_of(arguments.ranks);
  answers::NameExpression expression;
  if (Status status = expression.compile(arguments.selection.name); !status.ok()) {
    fail("--name", status.error().message);
  }
  if (arguments.steps != "-1") {
    plan.steps.ranges = chosen_steps("--step", arguments.steps);
  }
  if (!arguments.iterations.empty()) choose_iterations(arguments.iterations, plan);
  for (const auto& [name, value] : arguments.options) {
    const auto& known = plan.mode->options;
    const bool is_known =
        std::any_of(known.begin(), known.end(),
                    [&name = name](const auto& option) { return option.name == name; });
    if (!is_known) {
      fail("--" + name, fmt::format("the mode {} has no such option", plan.mode->name));
    }
  }
  return plan;
}

// Tables of several ranks become one, in which a column says the rank. Tables for other tools tell
// the rank in their own way.
void add_rank(answers::Answer& answer, std::int32_t rank) {
  for (answers::Table& table : answer.tables) {
    if (table.file.empty()) table.put_first("rank", "Rank", rank);
  }
  for (std::string& sentence : answer.sentences) {
    sentence = fmt::format("rank {}: {}", rank, sentence);
  }
}

void append_answer(answers::Answer& all, answers::Answer one) {
  for (std::string& sentence : one.sentences) all.sentences.push_back(std::move(sentence));
  for (answers::Table& table : one.tables) {
    const auto same =
        std::find_if(all.tables.begin(), all.tables.end(), [&](const answers::Table& known) {
          return known.name() == table.name() && known.columns().size() == table.columns().size();
        });
    if (same == all.tables.end()) {
      all.tables.push_back(std::move(table));
    } else {
      same->append(table);
    }
  }
}

// One analysis of one or several profiles.
class Analysis {
 public:
  Analysis(const AnalyzeArguments& arguments, const AnalyzePlan& plan)
      : arguments_(arguments), plan_(plan) {}

  int run() {
    auto profiles = find_profiles(arguments_.path, plan_.ranks, losses_);
    if (!profiles.ok()) {
      log::error("{}", profiles.error().message);
      return kUnreadable;
    }
    for (const load::Profile& profile : *profiles) {
      Status status = analyze(profile, profiles->size() > 1);
      if (!status.ok()) tell(profile, status.error());
      // No other profile would take the value of that option.
      if (has_wrong_option_) return kUsage;
    }
    warn_of(losses_);
    if (answered_ == 0) return kUnreadable;
    if (Status status = finish(); !status.ok()) {
      log::error("{}", status.error().message);
      return status.error().code == ErrorCode::kInvalidArgument ? kUsage : kUnreadable;
    }
    return losses_.empty() && failed_ == 0 ? kOk : kLosses;
  }

 private:
  Status analyze(const load::Profile& profile, bool is_one_of_many) {
    ChosenSteps cut = plan_.steps;
    if (plan_.mode->looks_around) cut.ranges.clear();
    NPUPROF_ASSIGN_OR_RETURN(const auto loaded,
                             load_linked(profile, cut, losses_, plan_.mode->reads));
    answers::Request request = loaded->request();
    if (plan_.mode->looks_around) request.steps = plan_.steps.ranges;
    request.options = arguments_.options;
    if (!arguments_.iterations.empty() && !plan_.steps.are_iterations) {
      request.options["iterations"] = arguments_.iterations;
    }
    NPUPROF_ASSIGN_OR_RETURN(const analyze::ChosenTimes chosen, request.chosen_times());
    auto answered = plan_.mode->answer(request);
    has_wrong_option_ = !answered.ok() && answered.error().code == ErrorCode::kInvalidArgument;
    NPUPROF_ASSIGN_OR_RETURN(answers::Answer answer, std::move(answered));
    shown_.simulated = shown_.simulated || loaded->trace().session.simulated;
    if (answered_ == 0) shown_.zero_ns = loaded->zero_ns(chosen);
    ++answered_;
    rank_ = loaded->rank();
    if (is_one_of_many) {
      NPUPROF_RETURN_IF_ERROR(write_known_tables(answer, loaded->rank()));
      add_rank(answer, loaded->rank());
    }
    append_answer(shown_.answer, std::move(answer));
    return ok_status();
  }

  // Workbooks that other tools know are made for each rank.
  Status write_known_tables(answers::Answer& answer, std::int32_t rank) {
    if (plan_.exports != ExportType::kText && plan_.exports != ExportType::kWorkbook) {
      return ok_status();
    }
    ShownAnswer known{.mode = plan_.mode->name};
    auto& tables = answer.tables;
    for (auto table = tables.begin(); table != tables.end();) {
      if (table->file.empty()) {
        ++table;
        continue;
      }
      known.answer.tables.push_back(std::move(*table));
      table = tables.erase(table);
    }
    return write(known, rank);
  }

  Status write(const ShownAnswer& shown, std::int32_t rank) {
    const std::string& folder = arguments_.output.empty() ? arguments_.path : arguments_.output;
    NPUPROF_ASSIGN_OR_RETURN(const auto files, write_answer(shown, *plan_.exports, folder, rank));
    files_.insert(files_.end(), files.begin(), files.end());
    return ok_status();
  }

  void tell(const load::Profile& profile, const Error& error) {
    ++failed_;
    log::error("'{}': {}", profile.path.native(), error.message);
    if (error.code != ErrorCode::kNoData || is_advised_) return;
    is_advised_ = true;
    log::error("{} needs {}. To collect it: {}", plan_.mode->name, plan_.mode->needs,
               plan_.mode->collect);
  }

  Status finish() {
    shown_.mode = plan_.mode->name;
    shown_.profile = arguments_.path;
    if (plan_.exports) NPUPROF_RETURN_IF_ERROR(write(shown_, rank_));
    NPUPROF_RETURN_IF_ERROR(select_rows(shown_.answer, arguments_.selection));
    if (!arguments_.quiet) {
      print_answer(shown_, plan_.format, rows_to_show(arguments_.selection), arguments_.wide);
    }
    const bool shows_files =
        !arguments_.quiet && plan_.format == AnswerFormat::kTable && !files_.empty();
    for (std::size_t i = 0; shows_files && i < files_.size(); ++i) {
      print((i == 0 ? "\nWritten: " : "         ") + files_[i].native() + "\n");
    }
    return ok_status();
  }

  const AnalyzeArguments& arguments_;
  const AnalyzePlan& plan_;
  ShownAnswer shown_;
  trace::Losses losses_;
  std::vector<std::filesystem::path> files_;
  std::size_t answered_ = 0;
  std::size_t failed_ = 0;
  std::int32_t rank_ = -1;
  bool is_advised_ = false;
  bool has_wrong_option_ = false;
};

int run_analyze(const AnalyzeArguments& arguments) {
  arguments.take_effect();
  const AnalyzePlan plan = plan_analysis(arguments);
  return Analysis(arguments, plan).run();
}

// Options of single modes, each once.
void add_mode_options(CLI::App& command, const std::shared_ptr<AnalyzeArguments>& arguments) {
  std::set<std::string_view> known = {"iterations"};  // All modes take it.
  for (const answers::Mode* mode : answers::all_modes()) {
    for (const answers::ModeOption& option : mode->options) {
      if (!known.insert(option.name).second) continue;
      const std::string name(option.name);
      command
          .add_option_function<std::string>(
              "--" + name,
              [arguments, name](const std::string& value) { arguments->options[name] = value; },
              std::string(option.help))
          ->group("Of single modes");
    }
  }
}

}  // namespace

void add_analyze_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  CLI::App* command = app.add_subcommand("analyze", "Answers to questions about a profile");
  command->add_option("-m,--mode", arguments->mode, "The question, see below")->required();
  auto* path = command->add_option(
      "-d,--profiling-path", arguments->path,
      "A profile, raw or results (directory, .db, .json), or a folder above some");
  command->add_option("-o,--output-path", arguments->output,
                      "Write files below this folder too (default: print only)");
  command->add_option("--export-type", arguments->export_type,
                      "Files to write: text (CSV), db, xlsx or json, advisor html too; without -o\n"
                      "beside the data");
  command->add_option("--format", arguments->format, "What is printed: table, csv or json");
  command->add_option("--rank,--rank-list", arguments->ranks, "Only these ranks: 0,3");
  command->add_option("--step,--step-id,--steps", arguments->steps,
                      "Only these steps: 7, 3-5 or 1-3,8");
  command->add_option("--iterations", arguments->iterations,
                      "Only these iterations of a serving engine, which count as steps: 3..7");
  command->add_option("--name", arguments->selection.name,
                      "Only rows with a text that matches this regular expression; (?i) in front\n"
                      "takes small and capital letters for the same");
  command->add_option("--sort", arguments->selection.sort, "Order by this column, largest first");
  command
      ->add_option("--top", arguments->selection.top,
                   "So many rows of each table, and of each rank if there are\nseveral; 0 = all")
      ->check(at_least(0));
  command->add_option("--parallel-mode", arguments->parallel_mode)->group("");
  command->add_flag("--force", arguments->force)->group("");
  add_mode_options(*command, arguments);
  add_wide_option(*command, arguments->wide);
  add_run_options(*command, *arguments);
  command->add_flag("--explain", arguments->explain, "What the mode answers, and what it needs");
  command->footer(analyze_footer());
  command->callback([arguments, path, &status] {
    if (arguments->explain) {
      print(explanation(*plan_analysis(*arguments).mode));
      return;
    }
    if (path->count() == 0) fail("--profiling-path", "which profile? Give -d PATH");
    status = run_analyze(*arguments);
  });
}

}  // namespace npuprof::cli
