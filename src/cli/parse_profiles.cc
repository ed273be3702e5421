#include "cli/parse_profiles.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "analyze/shared_results.h"
#include "base/available_memory.h"
#include "base/memory_reserve.h"
#include "base/progress.h"
#include "cli/tidy.h"
#include "format/results/file_names.h"
#include "link/link.h"
#include "load/input_data.h"
#include "load/load_profile.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

// The folder of a profile below the chosen one: its own name, or that of the run its results are
// of.
fs::path folder_of(const load::Profile& profile) {
  fs::path name = profile.path.filename();
  if (profile.has_raw_data()) return name;
  if (profile.kind == load::ProfileKind::kResultDirectory) {
    const bool is_part =
        name == format::results::kFrameworkResults || name == format::results::kCannResults;
    const fs::path run = fs::absolute(profile.path).parent_path().filename();
    return is_part && !run.empty() ? run : name;
  }
  return profile.kind == load::ProfileKind::kPyTorch ||
                 profile.kind == load::ProfileKind::kMindSpore
             ? name
             : fs::path(name.native().substr(0, name.native().find('.')));
}

fs::path common_parent(const std::vector<load::Profile>& profiles) {
  fs::path common = profiles.front().path.parent_path();
  for (const load::Profile& profile : profiles) {
    const fs::path parent = profile.path.parent_path();
    const auto [in_common, in_parent] =
        std::mismatch(common.begin(), common.end(), parent.begin(), parent.end());
    fs::path shorter;
    for (auto part = common.begin(); part != in_common; ++part) shorter /= *part;
    common = std::move(shorter);
  }
  return common;
}

// Results go beside the raw data, or below the chosen folder with the profile's own name. Profiles
// of the same name keep as much of their path there as it takes to tell them apart.
std::vector<fs::path> output_folders(const std::vector<load::Profile>& profiles,
                                     const fs::path& chosen) {
  std::map<fs::path, std::size_t> count_by_name;
  for (const load::Profile& profile : profiles) ++count_by_name[folder_of(profile)];
  const fs::path common = common_parent(profiles);
  std::vector<fs::path> folders;
  for (const load::Profile& profile : profiles) {
    fs::path folder = profile.path;
    if (!chosen.empty()) {
      const fs::path name = folder_of(profile);
      folder = chosen / (count_by_name[name] > 1 ? profile.path.lexically_relative(common) : name);
    }
    folders.push_back(folder / (profile.is_cann_only() ? format::results::kCannResults
                                                       : format::results::kFrameworkResults));
  }
  return folders;
}

// How many profiles are parsed at the same time: one on each thread is the best use of the threads,
// as long as the memory is enough for so many of the largest.
std::size_t profiles_at_once(const std::vector<load::Profile>& profiles, std::size_t threads) {
  // A profile in memory takes about three quarters of the data it is read from, which is seldom
  // below a few MB.
  constexpr std::uint64_t kSmallestBytes = std::uint64_t{32} << 20;
  const std::size_t most = std::min(profiles.size(), threads);
  if (most <= 1) return 1;
  std::uint64_t largest = 0;
  for (const load::Profile& profile : profiles)
    largest = std::max(largest, load::input_bytes(profile));
  const std::uint64_t budget = available_memory_bytes() / 3 * 2;
  return std::clamp<std::size_t>(budget / (largest + kSmallestBytes), 1, most);
}

void summarize(const analyze::SharedResults& results, ParseOutcome& outcome) {
  const trace::Trace& trace = results.trace();
  outcome.rank = trace.session.rank;
  outcome.simulated = trace.session.simulated;
  outcome.steps = trace.steps().size();
  outcome.kernels = trace.kernels().size();
  outcome.tasks = trace.tasks().size();
  outcome.collectives = trace.collective_ops().size();
  outcome.operators = trace.framework_ops().size();
  for (const analyze::StepTime& step : results.steps()) {
    outcome.computing_ns += step.computing_ns;
    outcome.not_overlapped_ns += step.not_overlapped_ns;
    outcome.free_ns += step.free_ns;
  }
}

Status choose(trace::Trace& trace, const ParseSettings& settings) {
  if (settings.iterations) return analyze::keep_iterations(trace, *settings.iterations);
  return settings.steps.empty() ? ok_status() : analyze::keep_steps(trace, settings.steps);
}

// One profile's share of the progress shown. What its stages did not count is counted at the end,
// so that a profile that cannot be read is done as well.
class ProfileProgress {
 public:
  // Roughly how long the stages take, of kWhole in all.
  static constexpr std::uint64_t kLoad = 25;
  static constexpr std::uint64_t kLink = 15;
  static constexpr std::uint64_t kWhole = 100;

  explicit ProfileProgress(Progress& progress) : progress_(progress) {}
  ProfileProgress(const ProfileProgress&) = delete;
  ProfileProgress& operator=(const ProfileProgress&) = delete;
  ~ProfileProgress() { progress_.advance(left_); }

  void advance(std::uint64_t share) {
    left_ -= share;
    progress_.advance(share);
  }

 private:
  Progress& progress_;
  std::uint64_t left_ = kWhole;
};

// Results of CANN alone have files beside their directory. Beside raw data that is where they go.
Status check_place(const load::Profile& profile, const fs::path& output) {
  const bool is_beside = profile.is_cann_only() && !profile.has_raw_data();
  if (!load::is_in_the_way_of(profile, is_beside ? output.parent_path() : output)) {
    return ok_status();
  }
  return Error{ErrorCode::kInvalidArgument,
               "results in '" + output.native() +
                   "' would replace or lie among what they are made of: choose another --output"};
}

Status parse_into(const load::Profile& profile, const ParseSettings& settings, ThreadPool& pool,
                  ProfileProgress& progress, ParseOutcome& outcome) {
  NPUPROF_RETURN_IF_ERROR(check_place(profile, outcome.output));
  NPUPROF_ASSIGN_OR_RETURN(trace::Trace trace, load::load_profile(profile, pool, outcome.losses));
  progress.advance(ProfileProgress::kLoad);
  outcome.losses.append(link::link_all(trace, &pool), profile.path.native());
  progress.advance(ProfileProgress::kLink);
  NPUPROF_RETURN_IF_ERROR(choose(trace, settings));
  const analyze::SharedResults results(trace);
  summarize(results, outcome);
  report::ExportOptions exports = settings.exports;
  exports.output = outcome.output;
  exports.iterations = settings.iterations;
  NPUPROF_RETURN_IF_ERROR(profile.is_cann_only()
                              ? report::export_cann(results, exports, pool)
                              : report::export_framework(results, exports, pool));
  if (settings.clear) remove_intermediate_databases(profile);
  if (settings.simplify) remove_derived_data(profile);
  return ok_status();
}

ParseOutcome parse_profile(const load::Profile& profile, const fs::path& output,
                           const ParseSettings& settings, ThreadPool& pool, Progress& progress) {
  ProfileProgress own_progress(progress);
  ParseOutcome outcome;
  outcome.path = profile.path;
  outcome.output = output;
  outcome.rank = profile.rank;
  try {
    outcome.status = parse_into(profile, settings, pool, own_progress, outcome);
  } catch (const std::bad_alloc&) {
    keep_memory_reserve();
    outcome.status = Error{ErrorCode::kInternal, "there is not enough memory to parse it"};
  } catch (const std::exception& error) {  // The other profiles can still be parsed.
    outcome.status = Error{ErrorCode::kInternal, std::string("cannot parse it: ") + error.what()};
  }
  return outcome;
}

}  // namespace

std::vector<ParseOutcome> parse_profiles(const std::vector<load::Profile>& profiles,
                                         const ParseSettings& settings, ThreadPool& pool) {
  const std::vector<fs::path> outputs = output_folders(profiles, settings.output);
  std::vector<ParseOutcome> outcomes(profiles.size());
  Progress progress("parse", profiles.size() * ProfileProgress::kWhole);
  std::atomic<std::size_t> next{0};
  pool.parallel_for(profiles_at_once(profiles, pool.worker_count()), [&](std::size_t) {
    for (std::size_t i = next.fetch_add(1); i < profiles.size(); i = next.fetch_add(1)) {
      outcomes[i] = parse_profile(profiles[i], outputs[i], settings, pool, progress);
    }
  });
  progress.finish();
  return outcomes;
}

}  // namespace npuprof::cli
