#include "cli/loaded_profile.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include "analyze/iteration_steps.h"
#include "base/memory_reserve.h"
#include "base/thread_pool.h"
#include "cli/large_allocations.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/tasks.h"

namespace npuprof::cli {
namespace {

// A limit of 256 KB costs an analysis a tenth of its time, one of 4 MB a tenth of its memory.
constexpr int kSmallMapping = 1 << 20;
// The heap grows by as much at a time, so that large pages fit into what is new.
constexpr int kHeapGrowth = 8 << 20;

std::string known_ranks(const std::vector<load::Profile>& profiles) {
  std::vector<std::string> ranks;
  for (const load::Profile& profile : profiles) {
    ranks.push_back(profile.rank < 0 ? "?" : std::to_string(profile.rank));
  }
  return fmt::format("{}", fmt::join(ranks, ", "));
}

Result<trace::Trace> load_and_link(const load::Profile& profile, const ChosenSteps& steps,
                                   trace::Losses& losses, trace::Parts wanted) {
  // Steps are chosen by when their tasks were asked for.
  if (!steps.ranges.empty()) wanted = wanted.with(trace::Part::kDetails);
  ThreadPool& pool = shared_thread_pool();
  // Analyses keep little of what they read: smaller arrays too have mappings of their own, which go
  // back to the system at once. A parse, which is busy with memory all the time, does without.
  ::mallopt(M_MMAP_THRESHOLD, kSmallMapping);
  ::mallopt(M_TOP_PAD, kHeapGrowth);
  medium_arrays_on_large_pages = true;
  NPUPROF_ASSIGN_OR_RETURN(trace::Trace trace, load::load_profile(profile, pool, losses, wanted));
  // What loading needed and tables do not goes back to the system.
  ::malloc_trim(0);
  losses.append(link::link_all(trace, &pool, wanted), profile.path.native());
  ::malloc_trim(0);
  if (steps.are_iterations) NPUPROF_RETURN_IF_ERROR(analyze::make_steps_of_iterations(trace));
  if (!steps.ranges.empty()) NPUPROF_RETURN_IF_ERROR(analyze::keep_steps(trace, steps.ranges));
  if (steps.range) NPUPROF_RETURN_IF_ERROR(analyze::keep_range(trace, *steps.range));
  return trace;
}

}  // namespace

std::int64_t LoadedProfile::zero_ns(const analyze::ChosenTimes& chosen) const {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  const auto see = [&](const auto& starts, const auto& is_chosen) {
    for (const std::int64_t start_ns : starts) {
      if (0 < start_ns && start_ns < first_ns && is_chosen(start_ns)) first_ns = start_ns;
    }
  };
  const auto host = [&](std::int64_t time_ns) { return chosen.host(time_ns); };
  see(trace_.framework_ops().start_ns, host);
  see(trace_.api_calls().start_ns, host);
  see(trace_.tasks().start_ns, [&](std::int64_t time_ns) { return chosen.device(time_ns); });
  return first_ns == std::numeric_limits<std::int64_t>::max() ? 0 : first_ns;
}

Result<std::vector<load::Profile>> find_profiles(const std::string& path,
                                                 const std::vector<std::int32_t>& ranks,
                                                 trace::Losses& losses) {
  NPUPROF_ASSIGN_OR_RETURN(load::Discovery found, load::discover(path));
  found.prefer_raw_data();
  for (const std::string& notice : found.notices) losses.add(path, 0, 0, notice);
  if (ranks.empty()) return std::move(found.profiles);
  // Of a single profile it may not be known which rank it is of.
  const bool is_single = found.profiles.size() == 1 && found.profiles.front().rank < 0;
  if (is_single && ranks.size() == 1) return std::move(found.profiles);
  std::vector<load::Profile> chosen;
  for (const std::int32_t rank : ranks) {
    const auto profile =
        std::find_if(found.profiles.begin(), found.profiles.end(),
                     [&](const load::Profile& known) { return known.rank == rank; });
    if (profile == found.profiles.end()) {
      return Error{ErrorCode::kNotFound, fmt::format("'{}' has no profile of rank {}, only of {}",
                                                     path, rank, known_ranks(found.profiles))};
    }
    chosen.push_back(*profile);
  }
  return chosen;
}

Result<std::unique_ptr<LoadedProfile>> load_linked(const load::Profile& profile,
                                                   const ChosenSteps& steps, trace::Losses& losses,
                                                   trace::Parts wanted) {
  try {
    NPUPROF_ASSIGN_OR_RETURN(trace::Trace trace, load_and_link(profile, steps, losses, wanted));
    return std::make_unique<LoadedProfile>(profile, std::move(trace));
  } catch (const std::bad_alloc&) {
    keep_memory_reserve();
    return Error{ErrorCode::kInternal, "there is not enough memory to read it"};
  }
}

}  // namespace npuprof::cli
