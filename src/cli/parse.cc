#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/parse_profiles.h"
#include "load/discover.h"

namespace npuprof::cli {
namespace {

struct ParseOptions {
  std::string path;
  std::vector<std::string> export_types{"text"};
  std::string output;
  unsigned jobs = 0;
  bool quiet = false;
  int verbosity = 0;
  bool json = false;
};

std::string export_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[15];
  std::strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
  return text;
}

ParseSettings settings_of(const ParseOptions& options) {
  ParseSettings settings{.exports = {.text = false, .time_stamp = export_time()},
                         .output = options.output};
  for (const std::string& type : options.export_types) {
    settings.exports.text = settings.exports.text || type == "text";
    settings.exports.database = settings.exports.database || type == "db";
    settings.exports.perfetto = settings.exports.perfetto || type == "perfetto";
  }
  return settings;
}

void print_summary(const std::vector<ParseOutcome>& outcomes) {
  bool simulated = false;
  fmt::print("{:>5} {:>6} {:>10} {:>12} {:>12}  {:>12} {:>14} {:>12}\n", "rank", "steps", "kernels",
             "collectives", "operators", "compute ms", "exposed com ms", "free ms");
  for (const ParseOutcome& outcome : outcomes) {
    if (!outcome.status.ok()) continue;
    simulated = simulated || outcome.simulated;
    fmt::print("{:>5} {:>6} {:>10} {:>12} {:>12}  {:>12.3f} {:>14.3f} {:>12.3f}\n",
               outcome.rank < 0 ? "-" : std::to_string(outcome.rank), outcome.steps,
               outcome.kernels, outcome.collectives, outcome.operators,
               static_cast<double>(outcome.computing_ns) / 1e6,
               static_cast<double>(outcome.not_overlapped_ns) / 1e6,
               static_cast<double>(outcome.free_ns) / 1e6);
  }
  if (simulated) fmt::print("These profiles come from a simulated NPU.\n");
  for (const ParseOutcome& outcome : outcomes) {
    if (outcome.status.ok()) fmt::print("{}\n", outcome.output.native());
  }
}

void print_json(const std::vector<ParseOutcome>& outcomes) {
  std::string text;
  JsonWriter json(text, 1);
  json.begin_object().key("profiles").begin_array();
  for (const ParseOutcome& outcome : outcomes) {
    json.begin_object()
        .member("path", outcome.path.native())
        .member("output", outcome.output.native());
    json.member("rank", outcome.rank)
        .member("steps", outcome.steps)
        .member("kernels", outcome.kernels);
    json.member("tasks", outcome.tasks).member("collectives", outcome.collectives);
    json.member("operators", outcome.operators).member("computing_ns", outcome.computing_ns);
    json.member("communication_not_overlapped_ns", outcome.not_overlapped_ns);
    json.member("free_ns", outcome.free_ns).member("simulated", outcome.simulated);
    json.key("losses").begin_array();
    for (const trace::Loss& loss : outcome.losses.items()) {
      json.begin_object().member("file", loss.file).member("offset", loss.offset);
      json.member("records", loss.records).member("what", loss.what).end_object();
    }
    json.end_array();
    json.key("error");
    if (outcome.status.ok()) {
      json.null();
    } else {
      json.value(outcome.status.error().message);
    }
    json.end_object();
  }
  json.end_array().end_object();
  fmt::print("{}\n", text);
}

int report_problems(const std::vector<ParseOutcome>& outcomes) {
  std::size_t failed = 0;
  bool lossy = false;
  for (const ParseOutcome& outcome : outcomes) {
    for (const trace::Loss& loss : outcome.losses.items()) {
      log::warning("{} (at byte {} of '{}')", loss.what, loss.offset, loss.file);
      lossy = true;
    }
    if (outcome.status.ok()) continue;
    log::error("{}", outcome.status.error().message);
    ++failed;
  }
  if (failed == outcomes.size()) return kUnreadable;
  return failed > 0 || lossy ? kLosses : kOk;
}

int run_parse(const ParseOptions& options) {
  log::configure(options.quiet, options.verbosity);
  auto found = load::discover(options.path);
  if (!found.ok()) {
    log::error("{}", found.error().message);
    return kUnreadable;
  }
  for (const std::string& notice : found->notices) log::warning("{}", notice);
  std::vector<load::Profile> profiles;
  for (load::Profile& profile : found->profiles) {
    if (profile.has_raw_data()) profiles.push_back(std::move(profile));
  }
  if (profiles.empty()) {
    log::error(
        "'{}' holds no raw profile: give a *_ascend_pt, *_ascend_ms or PROF_* directory, or a "
        "folder above some",
        options.path);
    return kUnreadable;
  }
  // The calling thread works too, so one job needs no worker.
  set_shared_worker_count(options.jobs);
  const std::vector<ParseOutcome> outcomes =
      parse_profiles(profiles, settings_of(options), shared_thread_pool());
  if (options.json) {
    print_json(outcomes);
  } else if (!options.quiet) {
    print_summary(outcomes);
  }
  return report_problems(outcomes);
}

}  // namespace

void add_parse_command(CLI::App& app, int& status) {
  auto options = std::make_shared<ParseOptions>();
  CLI::App* command = app.add_subcommand("parse", "Raw profile directories to result files");
  command
      ->add_option("path", options->path,
                   "A *_ascend_pt, *_ascend_ms or PROF_* directory, or a folder above")
      ->required();
  command
      ->add_option("--export,--export_type", options->export_types,
                   "What to write: text, db, perfetto")
      ->delimiter(',')
      ->check(CLI::IsMember({"text", "db", "perfetto"}));
  command->add_option("-o,--output", options->output,
                      "Write below this folder instead of beside the raw data");
  command->add_option("-j,--jobs", options->jobs, "Threads (default: one for each core)");
  command->add_flag("-q,--quiet", options->quiet, "Only warnings and errors");
  command->add_flag("-v,--verbose", options->verbosity, "Tell how long each stage takes");
  command->add_flag("--json", options->json, "A summary for scripts on standard output");
  command->callback([options, &status] { status = run_parse(*options); });
}

}  // namespace npuprof::cli
