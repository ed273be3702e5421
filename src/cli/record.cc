// `npuprof record`: runs a Python program under the profiler.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/child_process.h"
#include "cli/collect_options.h"
#include "cli/commands.h"
#include "cli/validators.h"
#include "format/framework/file_names.h"
#include "format/framework/profiler_info.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSiteFile = "sitecustomize.py";

constexpr const char* kRecordExamples =
    "Examples:\n"
    "  npuprof record -- python3 train.py                            from begin to end\n"
    "  npuprof record --start-step 10 --active 3 -- python3 train.py steps of its optimizer\n"
    "  npuprof record --delay 30 --duration 5 -- torchrun --nproc-per-node 8 train.py\n"
    "  npuprof record --level Level1 --with-stack -o out -- python3 train.py --epochs 2\n"
    "\n"
    "The program is not changed. A switch is turned off with =off. Exit status: that of the "
    "program\n"
    "if it failed, else 0 all well, 1 recorded with losses, 2 wrong arguments, 3 nothing recorded.";

struct RecordOptions {
  CollectOptions collect;
  std::vector<std::string> program;
  std::optional<double> delay_s;
  std::optional<double> duration_s;
  std::string simulate;
  bool no_parse = false;
};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The folder that makes an interpreter load the Python package when it is on PYTHONPATH.
Result<fs::path> find_site() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path beside = program.parent_path().parent_path();
  std::vector<fs::path> places;
  if (const std::string named = environment("NPUPROF_PYTHON"); !named.empty()) {
    places.push_back(fs::path(named) / "npuprof");
  } else if (!failed) {
    // In an installed package, and in the tree of a build.
    places = {beside, beside / "python" / "npuprof"};
  }
  for (const fs::path& place : places) {
    const fs::path site = fs::absolute(place / "_site", failed);
    if (fs::exists(site / kSiteFile, failed)) return site;
  }
  return Error{ErrorCode::kNotFound,
               "the Python package npuprof was not found beside this program; NPUPROF_PYTHON may "
               "name the folder it is in"};
}

void check(const RecordOptions& options) {
  const CollectOptions& collect = options.collect;
  const bool by_steps = collect.start_step || collect.active || collect.warmup;
  if (by_steps && (options.delay_s || options.duration_s)) {
    throw CLI::ValidationError(options.delay_s ? "--delay" : "--duration",
                               "cannot be combined with --start-step, --active or --warmup: record "
                               "by steps or by time");
  }
}

Configuration make_request(const RecordOptions& options, const fs::path& output) {
  Configuration request;
  request["prof_dir"] = output.native();
  apply(options.collect, request);
  // Steps are meant if one of these is there; the other has a default.
  if (options.collect.warmup && !options.collect.active) request["active"] = 1;
  if (options.delay_s) request["delay_seconds"] = *options.delay_s;
  if (options.duration_s) request["duration_seconds"] = *options.duration_s;
  // This program parses when all is over, and can then say how it went.
  request["analyse"] = false;
  return request;
}

// A file in which processes of the program note why they recorded nothing.
class Notes {
 public:
  Notes() {
    std::error_code failed;
    std::string path = fs::temp_directory_path(failed) / "npuprof_record_XXXXXX";
    const int file = ::mkstemp(path.data());
    if (file < 0) return;
    ::close(file);
    path_ = path;
  }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  ~Notes() {
    if (!path_.empty()) (void)::unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }

  // Why nothing was recorded. Each process leaves an empty line when it begins.
  std::string reasons() const {
    const auto text = read_file(path_);
    std::set<std::string> distinct;
    const std::string notes = text.ok() ? *text : "";
    for (const std::string_view line : split(notes, '\n')) {
      if (!line.empty()) distinct.emplace(line);
    }
    if (!distinct.empty()) return fmt::format("{}", fmt::join(distinct, "; "));
    return notes.empty()
               ? "no Python program ran in it that npuprof could join (python3 -E, -I and "
                 "-S keep it out)"
               : "the program was killed before";
  }

 private:
  std::string path_;
};

std::vector<std::string> make_environment(const RecordOptions& options,
                                          const Configuration& request, const fs::path& site,
                                          const Notes& notes) {
  const std::string path = environment("PYTHONPATH");
  std::vector<std::string> variables = {
      "NPUPROF_RECORD=" + request.dump(), "NPUPROF_RECORD_NOTES=" + notes.path(),
      "PYTHONPATH=" + site.native() + (path.empty() ? "" : ":" + path)};
  if (environment("NPUPROF_BINARY").empty()) {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (!failed) variables.push_back("NPUPROF_BINARY=" + program.native());
  }
  if (!options.simulate.empty()) variables.push_back("NPUPROF_SIMULATE=" + options.simulate);
  return variables;
}

std::set<fs::path> results_in(const fs::path& output) {
  std::set<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(output, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().native().ends_with(format::framework::kRunSuffix))
      found.insert(entry->path());
  }
  return found;
}

std::vector<fs::path> new_results(const fs::path& output, const std::set<fs::path>& before) {
  const std::set<fs::path> after = results_in(output);
  std::vector<fs::path> added;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(added));
  return added;
}

// What the recorder says about itself; the parser reports these losses too.
bool is_whole(const fs::path& result) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(result, failed)) {
    const std::string name = entry.path().filename().native();
    if (!name.starts_with("profiler_info") || !name.ends_with(".json")) continue;
    const auto text = read_file(entry.path());
    if (!text.ok()) return false;
    const auto info = format::framework::parse_profiler_info(*text);
    if (!info.ok() || !info->recorder) return info.ok();
    return info->recorder->complete && !info->recorder->has_losses();
  }
  return false;
}

// Parses each result with this same program, one after another.
int parse_results(const std::vector<fs::path>& results, const std::vector<std::string>& exports) {
  std::string kinds;
  for (const std::string& kind : exports) kinds += (kinds.empty() ? "" : ",") + kind;
  int worst = kOk;
  for (const fs::path& result : results) {
    const auto end = run_and_wait({"/proc/self/exe", "parse", result.native(), "--export",
                                   kinds.empty() ? "text" : kinds, "--quiet"},
                                  {});
    if (!end.ok() || end->code() > kLosses) {
      log::warning("'{}' could not be parsed; try npuprof parse", result.native());
    }
    worst = std::max(worst, end.ok() && end->code() == kOk ? kOk : kLosses);
  }
  return worst;
}

int report(const RecordOptions& options, const std::vector<fs::path>& results,
           const fs::path& output, const Notes& notes) {
  if (results.empty()) {
    log::error("nothing was recorded in '{}': {}", output.native(), notes.reasons());
    return kUnreadable;
  }
  int worst = kOk;
  for (const fs::path& result : results) {
    if (is_whole(result)) continue;
    log::warning("'{}' is not complete", result.native());
    worst = kLosses;
  }
  if (!options.no_parse) worst = std::max(worst, parse_results(results, options.collect.exports));
  for (const fs::path& result : results) {
    fmt::print(stderr, "Recorded: {}\n", printable(result.native()));
  }
  return worst;
}

int run_record(const RecordOptions& options) {
  check(options);
  const std::string& given = options.collect.output;
  const fs::path output = fs::absolute(given.empty() ? "." : given).lexically_normal();
  const Configuration request = make_request(options, output);
  const auto site = find_site();
  if (!site.ok()) {
    log::error("{}", site.error().message);
    return kUnreadable;
  }
  const std::set<fs::path> before = results_in(output);
  const Notes notes;
  const auto end = run_and_wait(options.program, make_environment(options, request, *site, notes));
  if (!end.ok()) {
    log::error("{}", end.error().message);
    return kUsage;
  }
  const int status = report(options, new_results(output, before), output, notes);
  return end->code() != 0 ? end->code() : status;
}

}  // namespace

void add_record_command(CLI::App& app, int& status) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* command = app.add_subcommand("record", "Run a Python program under the profiler");
  command->add_option("program", options->program, "The program and its arguments, after --")
      ->required()
      ->option_text("...");
  command
      ->add_option("--start-step", options->collect.start_step,
                   "The step of the optimizer to begin with, be it to warm up\n(default: 0)")
      ->check(at_least(0))
      ->option_text("N");
  command->add_option("--delay", options->delay_s, "Time before recording begins (default: 0)")
      ->check(at_least(0))
      ->option_text("SECONDS");
  command
      ->add_option("--duration", options->duration_s,
                   "Time to record (default: to the end of the program)")
      ->check(at_least(0))
      ->option_text("SECONDS");
  command->add_flag("--no-parse", options->no_parse, "Leave the parsing for later");
  command->add_flag("--simulate{1},--no-simulate{0}", options->simulate,
                    "Use the simulated NPU even if there is another, or never\n"
                    "(default: if there is no other)");
  add_collect_options(*command, options->collect);
  command->footer(kRecordExamples);
  command->callback([options, &status] { status = run_record(*options); });
}

}  // namespace npuprof::cli
