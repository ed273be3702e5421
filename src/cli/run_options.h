#pragma once

#include <CLI/CLI.hpp>

namespace npuprof::cli {

// What all commands that read profiles can be told about how they work.
struct RunOptions {
  unsigned jobs = 0;  // Threads; 0 = one for each core.
  bool quiet = false;
  int verbosity = 0;

  // Before anything is read. The calling thread works too, so one job needs no worker.
  void take_effect() const;
};

void add_run_options(CLI::App& command, RunOptions& options);

}  // namespace npuprof::cli
