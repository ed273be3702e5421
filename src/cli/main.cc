#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "base/printable.h"
#include "base/shrinking_files.h"
#include "cli/commands.h"
#include "cli/program_arguments.h"
#include "cli/standard_output.h"

namespace npuprof::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Profiler suite for AI workloads on Ascend NPUs.", "npuprof");
  app.set_version_flag("--version", NPUPROF_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  int status = kOk;
  add_record_command(app, status);
  add_dynamic_command(app, status);
  add_parse_command(app, status);
  add_msprof_command(app, status);
  add_export_command(app, status);
  add_analyze_command(app, status);
  add_compare_command(app, status);
  add_gate_command(app, status);
  add_sql_command(app, status);
  add_mcp_command(app, status);
  add_view_command(app, status);
  add_dump_command(app, status);
  try {
    std::vector<std::string> arguments = program_arguments(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // As the library wants them.
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    status = app.exit(error, output, errors) == 0 ? kOk : kUsage;
    print(output.str());
    std::cerr << printable(errors.str(), "\n");
  }
  return status;
}

// The command line tells which file or profile it was about.
std::string joined(int argc, char** argv) {
  std::string text;
  for (int i = 1; i < argc; ++i) text += (i > 1 ? " " : "") + std::string(argv[i]);
  return text;
}

// Whatever went wrong, there is a sentence and a status for it.
int guarded_run(int argc, char** argv) {
  int status = kUnreadable;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc&) {
    log::error("there is not enough memory for '{}'", joined(argc, argv));
  } catch (const std::exception& error) {
    log::error("'{}': {}", joined(argc, argv), error.what());
  }
  if (printed().ok() || printed().error().code == ErrorCode::kCancelled) return status;
  log::error("{}", printed().error().message);
  return kUnreadable;
}

}  // namespace
}  // namespace npuprof::cli

int main(int argc, char** argv) {
  // A file that grows beyond a limit is an error like a full disk, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  // So is a file that is shortened while it is read.
  npuprof::survive_shrinking_files();
  // So is memory that is all used.
  npuprof::keep_memory_reserve();
  // So is a reader of standard output that goes away.
  std::signal(SIGPIPE, SIG_IGN);
  const auto began = std::chrono::steady_clock::now();
  const int status = npuprof::cli::guarded_run(argc, argv);
  // torch_npu looks after its msprof every 0.1 s and loses results of one that ends sooner.
  constexpr auto kShortestLife = std::chrono::milliseconds(500);
  if (npuprof::cli::is_called_msprof(argc, argv)) {
    std::this_thread::sleep_until(began + kShortestLife);
  }
  return status;
}
