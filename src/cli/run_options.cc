#include "cli/run_options.h"

#include "base/log.h"
#include "base/thread_pool.h"
#include "cli/validators.h"

namespace npuprof::cli {

void RunOptions::take_effect() const {
  log::configure(quiet, verbosity);
  set_shared_worker_count(jobs);
}

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("-j,--jobs", options.jobs, "Threads (default: one for each core)")
      ->check(thread_count());
  command.add_flag("-q,--quiet", options.quiet, "Only warnings and errors");
  command.add_flag("-v,--verbose", options.verbosity, "Tell how long each stage takes");
}

}  // namespace npuprof::cli
