#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace npuprof::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Profiler suite for AI workloads on Ascend NPUs.", "npuprof");
  app.set_version_flag("--version", NPUPROF_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  int status = kOk;
  add_parse_command(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  return status;
}

}  // namespace
}  // namespace npuprof::cli

int main(int argc, char** argv) {
  try {
    return npuprof::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "npuprof: %s\n", error.what());
    return npuprof::cli::kUnreadable;
  }
}
