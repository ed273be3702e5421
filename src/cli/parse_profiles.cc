#include "cli/parse_profiles.h"

#include "analyze/step_time.h"
#include "base/progress.h"
#include "cli/tidy.h"
#include "link/link.h"
#include "load/load_profile.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

// Results go beside the raw data, or below the chosen folder with the profile's own name.
fs::path output_of(const load::Profile& profile, const ParseSettings& settings) {
  const bool framework = profile.kind != load::ProfileKind::kCann;
  fs::path base = profile.path;
  if (!settings.output.empty()) base = settings.output / profile.path.filename();
  return base / (framework ? "ASCEND_PROFILER_OUTPUT" : "mindstudio_profiler_output");
}

void summarize(const trace::Trace& trace, ParseOutcome& outcome) {
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
}

Status choose(trace::Trace& trace, const ParseSettings& settings) {
  if (settings.iteration) {
    return analyze::keep_iteration(trace, settings.iteration->model_id, settings.iteration->index);
  }
  return settings.steps.empty() ? ok_status() : analyze::keep_steps(trace, settings.steps);
}

Status parse_into(const load::Profile& profile, const ParseSettings& settings, ThreadPool& pool,
                  ParseOutcome& outcome) {
  NPUPROF_ASSIGN_OR_RETURN(trace::Trace trace, load::load_profile(profile, pool, outcome.losses));
  link::link_all(trace, &pool);
  if (Status chosen = choose(trace, settings); !chosen.ok()) {
    return Error{chosen.error().code, "'" + profile.path.native() + "': " + chosen.error().message};
  }
  summarize(trace, outcome);
  report::ExportOptions exports = settings.exports;
  exports.output = outcome.output;
  const bool is_cann = profile.kind == load::ProfileKind::kCann;
  NPUPROF_RETURN_IF_ERROR(is_cann ? report::export_cann(trace, exports, pool)
                                  : report::export_framework(trace, exports, pool));
  if (settings.clear) remove_intermediate_databases(profile);
  if (settings.simplify) remove_derived_data(profile);
  return ok_status();
}

ParseOutcome parse_profile(const load::Profile& profile, const ParseSettings& settings,
                           ThreadPool& pool) {
  ParseOutcome outcome;
  outcome.path = profile.path;
  outcome.output = output_of(profile, settings);
  outcome.rank = profile.rank;
  outcome.status = parse_into(profile, settings, pool, outcome);
  return outcome;
}

}  // namespace

std::vector<ParseOutcome> parse_profiles(const std::vector<load::Profile>& profiles,
                                         const ParseSettings& settings, ThreadPool& pool) {
  std::vector<ParseOutcome> outcomes(profiles.size());
  Progress progress("parse", profiles.size());
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    outcomes[i] = parse_profile(profiles[i], settings, pool);
    progress.advance();
  }
  progress.finish();
  return outcomes;
}

}  // namespace npuprof::cli
