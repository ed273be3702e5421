// `npuprof dynamic`: tells a running job to record.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "cli/collect_options.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "cli/validators.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "profiler_config.json";
constexpr std::int64_t kNextStep = -1;

constexpr const char* kDynamicExamples =
    "Examples:\n"
    "  npuprof dynamic conf --active 2                    the next two steps\n"
    "  npuprof dynamic conf --start-step 100 --level Level1 --aic-metrics PipeUtilization\n"
    "  npuprof dynamic conf --with-stack=off              as before, but without stacks\n"
    "\n"
    "The job listens if its code has dynamic_profile.init(DIR) and dynamic_profile.step(), or if "
    "it\n"
    "was started with PROF_CONFIG_PATH=DIR. Options that are not given stay as the file has them.\n"
    "Exit status: 0 written, 2 wrong arguments, 3 cannot be read or written.";

struct DynamicOptions {
  CollectOptions collect;
  std::string directory;
  std::string analyse;
  std::string async_mode;
  bool from_defaults = false;
};

// What the file says now; nothing if it is not there, or says nothing useful.
Configuration read_configuration(const fs::path& path) {
  const auto text = read_file(path);
  if (!text.ok()) return Configuration::object();
  Configuration configuration = Configuration::parse(*text, nullptr, false);
  if (configuration.is_object()) return configuration;
  log::warning("'{}' is no JSON object; it is replaced", path.native());
  return Configuration::object();
}

// The file is whole at any time: the job may read it now. It keeps its mode, so that the others who
// may edit it still can.
Status replace(const fs::path& path, const std::string& text) {
  struct stat before {};
  const bool is_there = ::stat(path.c_str(), &before) == 0;
  const fs::path pending = path.native() + "." + std::to_string(::getpid());
  Status written = write_file(pending, text);
  if (written.ok() && is_there && ::chmod(pending.c_str(), before.st_mode & 07777) != 0) {
    written = Error::from_errno("cannot set the mode of", pending.native(), errno);
  }
  if (written.ok() && ::rename(pending.c_str(), path.c_str()) != 0) {
    written = Error::from_errno("cannot replace", path.native(), errno);
  }
  if (!written.ok()) (void)::unlink(pending.c_str());
  return written;
}

std::string said(const Configuration& configuration) {
  const auto number = [&](const char* key, std::int64_t otherwise) {
    const auto found = configuration.find(key);
    const bool is_number = found != configuration.end() && found->is_number_integer();
    return is_number ? found->get<std::int64_t>() : otherwise;
  };
  const std::int64_t start = number("start_step", kNextStep);
  const auto steps = [](std::int64_t count) {
    return count == 1 ? "1 step" : fmt::format("{} steps", count);
  };
  const std::int64_t warmup = number("warmup", 0);
  return fmt::format("{}{} from {} on", warmup > 0 ? steps(warmup) + " of warm-up and " : "",
                     steps(number("active", 1)),
                     start == kNextStep ? "the next one" : fmt::format("step {}", start));
}

// What is not obvious of how the result is parsed.
std::string said_of_parse(const Configuration& configuration) {
  const auto is_on = [&](const char* key) {
    const auto found = configuration.find(key);
    return found != configuration.end() && found->is_boolean() && found->get<bool>();
  };
  if (!is_on("analyse")) return "The result is not parsed: use npuprof parse, or --analyse here.";
  if (is_on("is_rank") && !is_on("async_mode")) {
    return "The result is not parsed: chosen ranks parse only with --async-mode, so that the "
           "others "
           "do not wait for them.";
  }
  return {};
}

int run_dynamic(const DynamicOptions& options) {
  const fs::path directory = options.directory;
  std::error_code failed;
  if (!fs::is_directory(directory, failed)) {
    log::error(
        "'{}' is no directory; a job that listens there makes it (dynamic_profile.init, or "
        "PROF_CONFIG_PATH)",
        options.directory);
    return kUnreadable;
  }
  const fs::path path = directory / kFileName;
  if (fs::is_symlink(path, failed)) {
    log::error("'{}' is a symbolic link, which the profiler does not follow", path.native());
    return kUnreadable;
  }
  const bool is_new = !fs::exists(path, failed);
  Configuration configuration =
      options.from_defaults ? Configuration::object() : read_configuration(path);
  configuration["start_step"] = kNextStep;
  if (!options.analyse.empty()) configuration["analyse"] = options.analyse == "true";
  if (!options.async_mode.empty()) configuration["async_mode"] = options.async_mode == "true";
  apply(options.collect, configuration);
  const Status written = replace(path, configuration.dump(4) + "\n");
  if (!written.ok()) {
    log::error("{}", written.error().message);
    return kUnreadable;
  }
  if (is_new) log::warning("there was no '{}': no job may be listening yet", path.native());
  print(fmt::format("{}: {}\n", path.native(), said(configuration)));
  if (const std::string more = said_of_parse(configuration); !more.empty()) print(more + "\n");
  return kOk;
}

}  // namespace

void add_dynamic_command(CLI::App& app, int& status) {
  auto options = std::make_shared<DynamicOptions>();
  CLI::App* command = app.add_subcommand("dynamic", "Tell a running job to record some steps");
  command->add_option("directory", options->directory, "Where the job looks for its configuration")
      ->required()
      ->option_text(" ");
  command
      ->add_option("--start-step", options->collect.start_step,
                   "The step to begin with, be it to warm up; -1 is the next\n"
                   "one (default)")
      ->check(CLI::Validator(
          [](std::string& text) -> std::string {
            return text == "0" ? "step 0 is over when a job begins; -1 is the next step" : "";
          },
          ""))
      ->check(at_least(kNextStep))
      ->option_text("N");
  command->add_flag("--analyse{true},--no-analyse{false}", options->analyse,
                    "Parse the result when it is there (default: as the file\n"
                    "says, and no without one)");
  command->add_flag("--async-mode{true},--no-async-mode{false}", options->async_mode,
                    "Parse beside the job, with low priority");
  command->add_flag("--from-defaults", options->from_defaults,
                    "Forget what the file says: what is not given has its default");
  add_collect_options(*command, options->collect);
  command->footer(kDynamicExamples);
  command->callback([options, &status] { status = run_dynamic(*options); });
}

}  // namespace npuprof::cli
