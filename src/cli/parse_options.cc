#include "cli/parse_options.h"

#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/report_layers.h"
#include "cli/validators.h"

namespace npuprof::cli {
namespace {

constexpr const char* kParseExamples =
    "Examples:\n"
    "  npuprof parse worker_ascend_pt                       results beside the raw data\n"
    "  npuprof parse runs/ --export text,db -o results      all profiles below runs/\n"
    "  npuprof parse runs/ --export perfetto --steps 10-12  three steps, for ui.perfetto.dev\n"
    "  npuprof msprof --export=on --output=PROF_000001_X    as with msprof\n"
    "  npuprof msprof --query=on --output=PROF_000001_X     its graphs and iterations\n"
    "\n"
    "In names of options '_' is as good as '-'. A link to this program called msprof takes the\n"
    "arguments of msprof's exports. Exit status: 0 all well, 1 finished with losses, 2 wrong\n"
    "arguments, 3 nothing could be read or written.";

std::string export_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[15];
  std::strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
  return text;
}

// A switch: --name, --name=on or --name=off.
CLI::Option* add_switch(CLI::App& command, const std::string& name, std::string& value,
                        const std::string& text) {
  const CLI::Validator on_or_off(
      [](std::string& input) -> std::string {
        const bool known = is_on(input) || input == "off" || input == "false";
        return known ? "" : "'" + input + "' is neither on nor off";
      },
      "");
  return command.add_flag(name, value, text)->check(on_or_off);
}

void add_own_options(CLI::App& command, ParseOptions& options) {
  command.add_option("path", options.path,
                     "A *_ascend_pt, *_ascend_ms or PROF_* directory, or a folder above some;\n"
                     "or results (a .db or .json file, a directory) to write in another form");
  command
      .add_option("--export,--export-type", options.exports,
                  "What to write: text, db, perfetto, joined by commas (default: text)")
      ->join(',');
  command
      .add_option("-o,--output", options.output,
                  "Write below this folder instead of beside the raw data")
      ->check(not_empty());
  command.add_option("--steps", options.steps, "Only what belongs to these steps: 7, 3-5 or 1-3,8");
  add_switch(command, "--data-simplification", options.simplify,
             "Afterwards remove what other tools derived from the raw data\n"
             "(sqlite, summary, timeline, mindstudio_profiler_output, logs)");
  add_run_options(command, options);
  command.add_flag("--json", options.json, "A summary for scripts on standard output");
}

void add_known_options(CLI::App& command, ParseOptions& options) {
  constexpr const char* kGroup = "As for msprof, and for analyse() of torch_npu";
  const auto add = [&](const std::string& name, auto& value, const char* text) {
    return command.add_option(name, value, text)->group(kGroup);
  };
  add("--type", options.type, "With --export=on: text (the database too) or db");
  add("--model-id", options.model_id, "Only one iteration of this graph; 4294967295: steps");
  add("--iteration-id", options.iteration_id, "The number of that iteration");
  add("--reports", options.reports, "A JSON file that says which layers the timeline shows");
  add("--summary-format", options.summary_format, "Tables as csv or json (PROF_* directories)");
  add("--rule", options.rule,
      "With --analyze=on: communication, communication_matrix; both are always made");
  add("--application", options.application, "Not offered, see npuprof record");
  add("--iteration-count", options.iteration_count,
      "How many iterations, from that one on (default: 1)");
  add("--cluster", options.cluster, "Not needed");
  add("--python-path", options.python_path, "Not needed");
  add("--profiler-path", options.path, "As the path without a name");
  add("--max-process-number", options.jobs, "As --jobs")->check(thread_count());
  const auto add_one = [&](const std::string& name, std::string& value, const char* text) {
    add_switch(command, name, value, text)->group(kGroup);
  };
  add_one("--analyze", options.analyze, "Analyse communication, as every export does too");
  add_one("--parse", options.parse, "Read all and tell of losses; nothing is written");
  add_one("--query", options.query, "Tell of runs, graphs and iterations; nothing is written");
  add_one("--clear", options.clear, "Afterwards remove the sqlite folders that msprof left");
}

void set_exports(const ParseOptions& options, const std::string& joined,
                 report::ExportOptions& exports) {
  exports.text = false;
  for (const std::string_view kind : split(joined, ',')) {
    if (kind == "text") {
      exports.text = true;
    } else if (kind == "db") {
      exports.database = true;
    } else if (kind == "perfetto") {
      exports.perfetto = true;
    } else {
      fail(options.exports == joined ? "--export" : "--type",
           "'" + std::string(kind) + "' is no kind of results: text, db or perfetto");
    }
  }
}

// As msprof is called: --export=on --output=PROF_... --type=...
bool is_msprof_manner(const ParseOptions& options) {
  const bool switched = options.exports == "on" || options.exports == "off";
  return switched || is_on(options.analyze) || is_on(options.parse) || is_on(options.query);
}

void check_rules(const std::string& rules) {
  if (rules.empty()) return;
  for (const std::string_view rule : split(rules, ',')) {
    if (rule != "communication" && rule != "communication_matrix") {
      fail("--rule", "'" + std::string(rule) +
                         "' is no rule: communication, communication_matrix, or both with a comma");
    }
  }
}

void plan_msprof(const ParseOptions& options, ParsePlan& plan) {
  // Without another path it is the raw data that is called the output.
  if (plan.path.empty()) plan.path = std::exchange(plan.settings.output, {});
  check_rules(options.rule);
  plan.query = is_on(options.query);
  if (plan.query) return;
  if (options.exports != "on" && !is_on(options.analyze)) {
    if (!is_on(options.parse)) fail("--export", "there is nothing to do when it is off");
    plan.only_read = true;
    return;
  }
  report::ExportOptions& exports = plan.settings.exports;
  const std::string type = options.type.empty() ? "text" : options.type;
  set_exports(options, type, exports);
  exports.only_communication = options.exports != "on";
  if (type == "text" && !exports.only_communication) exports.database = true;
}

void plan_choice(const ParseOptions& options, ParseSettings& settings) {
  settings.steps = chosen_steps("--steps", options.steps);
  if (options.model_id.has_value() != options.iteration_id.has_value()) {
    fail(options.model_id ? "--model-id" : "--iteration-id",
         "--model-id and --iteration-id must be given together");
  }
  if (options.iteration_count < 1) fail("--iteration-count", "at least one is needed");
  if (!options.model_id) {
    if (options.iteration_count == 1) return;
    fail("--iteration-count", "--model-id and --iteration-id say which is the first");
  }
  if (!settings.steps.empty()) fail("--steps", "cannot be combined with --iteration-id");
  if (*options.iteration_id == 0) fail("--iteration-id", "iterations count from 1");
  settings.iterations =
      analyze::GraphIterations{*options.model_id, *options.iteration_id,
                               static_cast<std::uint64_t>(options.iteration_count)};
}

}  // namespace

void add_parse_options(CLI::App& command, ParseOptions& options) {
  add_own_options(command, options);
  add_known_options(command, options);
  command.footer(kParseExamples);
}

ParsePlan plan_parse(const ParseOptions& options) {
  ParsePlan plan{.path = options.path,
                 .settings = {.exports = {.time_stamp = export_time()}, .output = options.output}};
  if (!options.application.empty()) {
    fail("--application",
         "programs are not started here: npuprof record -- " + options.application);
  }
  if (options.summary_format != "csv" && options.summary_format != "json") {
    fail("--summary-format", "'" + options.summary_format + "' is neither csv nor json");
  }
  plan.settings.exports.json_tables = options.summary_format == "json";
  if (is_msprof_manner(options)) {
    plan_msprof(options, plan);
  } else {
    if (!options.type.empty() && !options.exports.empty()) {
      fail("--type", "say what to write with --export or with --type, not with both");
    }
    const std::string& kinds = options.exports.empty() ? options.type : options.exports;
    set_exports(options, kinds.empty() ? "text" : kinds, plan.settings.exports);
  }
  if (plan.path.empty()) {
    fail("path", "a *_ascend_pt, *_ascend_ms or PROF_* directory, or a folder above, is needed");
  }
  plan_choice(options, plan.settings);
  if (!options.reports.empty()) {
    auto hidden = read_hidden_layers(options.reports);
    if (!hidden.ok()) fail("--reports", hidden.error().message);
    plan.settings.exports.hidden_layers = std::move(*hidden);
  }
  plan.settings.simplify = is_on(options.simplify);
  plan.settings.clear = is_on(options.clear);
  return plan;
}

}  // namespace npuprof::cli
