#include "cli/two_profiles.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/validators.h"

namespace npuprof::cli {
namespace {

Result<std::unique_ptr<LoadedProfile>> load_one(const std::string& path,
                                                const std::optional<std::int32_t>& rank,
                                                const std::vector<analyze::StepRange>& steps,
                                                trace::Losses& losses) {
  std::vector<std::int32_t> ranks;
  if (rank) ranks.push_back(*rank);
  NPUPROF_ASSIGN_OR_RETURN(const auto found, find_profiles(path, ranks, losses));
  if (found.size() > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("'{}' holds {} profiles, and one is compared with one: give its "
                             "directory or --rank",
                             path, found.size())};
  }
  auto loaded = load_linked(found.front(), {.ranges = steps}, losses);
  if (loaded.ok()) return loaded;
  return Error{loaded.error().code, fmt::format("'{}': {}", path, loaded.error().message)};
}

}  // namespace

void add_two_profiles(CLI::App& command, TwoProfiles& profiles) {
  auto* base = command.add_option("base,--baseline,--benchmark-profiling-path", profiles.base,
                                  "The profile to compare with");
  base->required();
  command.add_option("new,-d,--profiling-path", profiles.other,
                     "The profile in question; without one, other steps of the same");
  command.add_option("--rank", profiles.rank, "Which of several profiles");
  command.add_option("--base-rank", profiles.base_rank, "Which one of the base, if it is another");
  command.add_option("--step,--steps,--comparison-step", profiles.steps,
                     "Only these steps: 7, 3-5 or 1-3,8");
  command.add_option("--base-step", profiles.base_steps, "Only these of the base");
}

Result<LoadedPair> load_pair(const TwoProfiles& profiles, trace::Losses& losses) {
  const std::string& other = profiles.other.empty() ? profiles.base : profiles.other;
  const auto base_rank = profiles.base_rank ? profiles.base_rank : profiles.rank;
  if (profiles.other.empty() && profiles.steps == profiles.base_steps &&
      base_rank == profiles.rank) {
    return Error{ErrorCode::kInvalidArgument,
                 "there is nothing to compare with: give two profiles, or two steps of one "
                 "(--base-step 3 --step 5)"};
  }
  const auto base_steps = chosen_steps("--base-step", profiles.base_steps);
  const auto steps = chosen_steps("--step", profiles.steps);
  LoadedPair pair;
  NPUPROF_ASSIGN_OR_RETURN(pair.base, load_one(profiles.base, base_rank, base_steps, losses));
  NPUPROF_ASSIGN_OR_RETURN(pair.other, load_one(other, profiles.rank, steps, losses));
  return pair;
}

}  // namespace npuprof::cli
