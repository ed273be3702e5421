#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analyze/step_time.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "link/link.h"
#include "load/discover.h"
#include "load/load_profile.h"
#include "report/export.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

struct ParseOptions {
  std::string path;
  std::vector<std::string> export_types{"text"};
  std::string output;
  unsigned jobs = 0;
  bool quiet = false;
  bool json = false;
};

// What one profile came to.
struct ParseOutcome {
  fs::path path;
  fs::path output;
  std::int32_t rank = -1;
  std::size_t steps = 0;
  std::size_t kernels = 0;
  std::size_t tasks = 0;
  std::size_t collectives = 0;
  std::size_t operators = 0;
  std::int64_t computing_ns = 0;
  std::int64_t not_overlapped_ns = 0;
  std::int64_t free_ns = 0;
  bool simulated = false;
  trace::Losses losses;
  Status status = ok_status();
};

std::string export_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[15];
  std::strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
  return text;
}

// Results go beside the raw data, or below --output with the profile's own name.
fs::path output_of(const load::Profile& profile, const ParseOptions& options) {
  const bool framework = profile.kind != load::ProfileKind::kCann;
  fs::path base = profile.path;
  if (!options.output.empty()) base = fs::path(options.output) / profile.path.filename();
  return base / (framework ? "ASCEND_PROFILER_OUTPUT" : "mindstudio_profiler_output");
}

Status parse_into(const load::Profile& profile, const ParseOptions& options, ThreadPool& pool,
                  ParseOutcome& outcome) {
  NPUPROF_ASSIGN_OR_RETURN(trace::Trace trace, load::load_profile(profile, pool, outcome.losses));
  link::link_all(trace, &pool);
  outcome.rank = trace.session.rank;
  outcome.simulated = trace.session.simulated;
  outcome.steps = trace.steps.size();
  outcome.kernels = trace.kernels.size();
  outcome.tasks = trace.tasks.size();
  outcome.collectives = trace.collective_ops.size();
  outcome.operators = trace.framework_ops.size();
  for (const analyze::StepTime& step : analyze::step_times(trace)) {
    outcome.computing_ns += step.computing_ns;
    outcome.not_overlapped_ns += step.not_overlapped_ns;
    outcome.free_ns += step.free_ns;
  }
  report::ExportOptions to{.text = false, .output = outcome.output, .time_stamp = export_time()};
  for (const std::string& type : options.export_types) {
    to.text = to.text || type == "text";
    to.database = to.database || type == "db";
  }
  return profile.kind == load::ProfileKind::kCann ? report::export_cann(trace, to, pool)
                                                  : report::export_framework(trace, to, pool);
}

ParseOutcome parse_profile(const load::Profile& profile, const ParseOptions& options,
                           ThreadPool& pool) {
  ParseOutcome outcome;
  outcome.path = profile.path;
  outcome.output = output_of(profile, options);
  outcome.rank = profile.rank;
  outcome.status = parse_into(profile, options, pool, outcome);
  return outcome;
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
  log::configure(options.quiet, 0);
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
  ThreadPool& pool = shared_thread_pool();
  std::vector<ParseOutcome> outcomes(profiles.size());
  {
    Progress progress("parse", profiles.size());
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      outcomes[i] = parse_profile(profiles[i], options, pool);
      progress.advance();
    }
    progress.finish();
  }
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
  command->add_option("--export,--export_type", options->export_types, "What to write: text, db")
      ->delimiter(',')
      ->check(CLI::IsMember({"text", "db"}));
  command->add_option("-o,--output", options->output,
                      "Write below this folder instead of beside the raw data");
  command->add_option("-j,--jobs", options->jobs, "Threads (default: one for each core)");
  command->add_flag("-q,--quiet", options->quiet, "Only warnings and errors");
  command->add_flag("--json", options->json, "A summary for scripts on standard output");
  command->callback([options, &status] { status = run_parse(*options); });
}

}  // namespace npuprof::cli
