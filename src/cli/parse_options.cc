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
    "  npuprof parse --export=on --output=PROF_000001_X     as with msprof\n"
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
  command.add_option("-j,--jobs", options.jobs, "Threads (default: one for each core)")
      ->check(thread_count());
  command.add_flag("-q,--quiet", options.quiet, "Only warnings and errors");
  command.add_flag("-v,--verbose", options.verbosity, "Tell how long each stage takes");
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
  add("--summary-format", options.summary_format, "csv");
  add("--rule", options.rule, "With --analyze=on; both rules are always followed");
  add("--python-path", options.python_path, "Not needed");
  add("--profiler-path", options.path, "As the path without a name");
  add("--max-process-number", options.jobs, "As --jobs")->check(thread_count());
  const auto add_one = [&](const std::string& name, std::string& value, const char* text) {
    add_switch(command, name, value, text)->group(kGroup);
  };
  add_one("--analyze", options.analyze, "Analyse communication, as every export does too");
  add_one("--parse", options.parse, "Not needed: raw data is read directly");
  add_one("--query", options.query, "Not offered, see --json");
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
  return switched || is_on(options.analyze) || is_on(options.parse);
}

void plan_msprof(const ParseOptions& options, ParsePlan& plan) {
  if (is_on(options.parse) && options.exports != "on" && !is_on(options.analyze)) {
    fail("--parse", "there is nothing to do without --export=on: raw data is read directly");
  }
  if (options.exports != "on" && !is_on(options.analyze)) {
    fail("--export", "there is nothing to do when it is off");
  }
  // Without another path it is the raw data that is called the output.
  if (plan.path.empty()) plan.path = std::exchange(plan.settings.output, {});
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
  if (!options.model_id) return;
  if (!settings.steps.empty()) fail("--steps", "cannot be combined with --iteration-id");
  if (*options.iteration_id == 0) fail("--iteration-id", "iterations count from 1");
  settings.iteration = GraphIteration{*options.model_id, *options.iteration_id};
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
  if (is_on(options.query)) fail("--query", "is not offered; --json tells what a profile holds");
  if (options.summary_format != "csv") {
    fail("--summary-format", "'" + options.summary_format + "' is not offered, only csv");
  }
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
