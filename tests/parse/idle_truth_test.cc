// Causes of idle time of simulated profiles: what went wrong on purpose must be found, and nothing
// else. In every one of them the causes tile the free time of each step.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/idle_causes.h"
#include "analyze/idle_sums.h"
#include "analyze/step_time.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/sqlite/database.h"
#include "sanitizers.h"
#include "shared_data.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using analyze::IdleCause;
using analyze::IdleRow;
using analyze::kIdleCauseCount;
using npuprof::testing::TemporaryDirectory;
using sim::JobOptions;

// Under sanitizers a few are enough: all of them run in release.
constexpr std::uint64_t kIdleSeeds = npuprof::testing::kHasAddressSanitizer ? 4 : 50;
// Through a database only some go: writing one takes longer than all the rest.
constexpr std::uint64_t kDatabaseEvery = 4;

JobOptions idle_job(std::uint64_t seed) {
  JobOptions job{.workload = sim::Workload::kTransformer,
                 .chip = *sim::find_chip("Ascend910B3"),
                 .seed = seed,
                 .steps = 3};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.framework.gc_detect_threshold_ms = 1;
  return job;
}

trace::Trace linked_trace(const fs::path& path) {
  ThreadPool pool(1);
  trace::Losses losses;
  auto found = load::discover(path);
  EXPECT_TRUE(found.ok());
  trace::Trace trace = load::load_profile(found->profiles.front(), pool, losses).value();
  link::link_all(trace, &pool);
  return trace;
}

void expect_idle_tiles(const trace::Trace& trace, const std::vector<IdleRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_LT(rows[i].start_ns, rows[i].end_ns);
    if (i == 0 || rows[i].device != rows[i - 1].device) continue;
    ASSERT_GE(rows[i].start_ns, rows[i - 1].end_ns) << "row " << i;
  }
  std::map<std::pair<std::uint16_t, std::optional<std::int64_t>>, std::int64_t> sums;
  for (const analyze::IdleStepSum& sum : analyze::idle_by_step(trace, rows)) {
    sums[{sum.device, sum.step}] = sum.total_ns;
  }
  const std::vector<analyze::StepTime> steps = analyze::step_times(trace);
  EXPECT_FALSE(steps.empty());
  for (const analyze::StepTime& step : steps) {
    const std::int64_t sum = sums[{step.device, step.step}];
    EXPECT_EQ(sum, step.free_ns);
  }
}

// Of all steps, by number of the cause.
using CauseTimes = std::array<std::int64_t, kIdleCauseCount>;

CauseTimes cause_times(const std::vector<IdleRow>& rows) {
  CauseTimes times{};
  for (const analyze::IdleCauseSum& cause : analyze::idle_by_cause(rows)) {
    times[static_cast<std::size_t>(cause.cause)] = cause.sum.total_ns;
  }
  return times;
}

std::int64_t time_of(const CauseTimes& times, IdleCause cause) {
  return times[static_cast<std::size_t>(cause)];
}

IdleCause largest_growth(const CauseTimes& before, const CauseTimes& after) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i] - before[i] > after[largest] - before[largest]) largest = i;
  }
  return static_cast<IdleCause>(largest);
}

// Runs a job and explains it; every few seeds, what a database of it says must be the same.
CauseTimes explained(JobOptions job) {
  const TemporaryDirectory directory;
  job.output = directory / "job";
  EXPECT_TRUE(sim::run_job(job).ok());
  const trace::Trace trace = linked_trace(job.output);
  const std::vector<IdleRow> rows = analyze::idle_causes(trace);
  expect_idle_tiles(trace, rows);
  const CauseTimes times = cause_times(rows);
  if (job.seed % kDatabaseEvery != 0) return times;
  const fs::path database = directory / "ascend_pytorch_profiler_0.db";
  ThreadPool pool(1);
  EXPECT_TRUE(report::sqlite::write_database(trace, database, pool).ok());
  const trace::Trace again = linked_trace(database);
  const std::vector<IdleRow> rows_again = analyze::idle_causes(again);
  expect_idle_tiles(again, rows_again);
  EXPECT_EQ(cause_times(rows_again), times);
  return times;
}

// Of the job without a fault, which all tests compare with.
const CauseTimes& healthy_times(std::uint64_t seed) {
  static std::map<std::uint64_t, CauseTimes> known;
  const auto found = known.find(seed);
  return found != known.end() ? found->second
                              : known.emplace(seed, explained(idle_job(seed))).first->second;
}

TEST(IdleTruth, HealthyProfilesShowNoFault) {
  for (std::uint64_t seed = 1; seed <= kIdleSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const CauseTimes& times = healthy_times(seed);
    EXPECT_EQ(time_of(times, IdleCause::kGarbageCollection), 0);
    EXPECT_EQ(time_of(times, IdleCause::kDataLoader), 0) << "marks were not collected";
    EXPECT_GT(time_of(times, IdleCause::kStartLatency), 0);
    EXPECT_GT(time_of(times, IdleCause::kSynchronization), 0) << "of the gradient's norm";
    EXPECT_GT(time_of(times, IdleCause::kCopy), 0) << "of the batch";
  }
}

TEST(IdleTruth, GarbageCollectionsAreFound) {
  for (std::uint64_t seed = 1; seed <= kIdleSeeds; ++seed) {
    SCOPED_TRACE(seed);
    JobOptions job = idle_job(seed);
    const CauseTimes& before = healthy_times(seed);
    job.faults.garbage = true;
    const CauseTimes after = explained(job);
    EXPECT_EQ(largest_growth(before, after), IdleCause::kGarbageCollection);
    // One of 60 ms after each step, of which the device waits for those between steps and the last.
    EXPECT_EQ(time_of(after, IdleCause::kGarbageCollection), 180'000'000);
  }
}

TEST(IdleTruth, ASlowDataLoaderIsFound) {
  for (std::uint64_t seed = 1; seed <= kIdleSeeds; ++seed) {
    SCOPED_TRACE(seed);
    JobOptions job = idle_job(seed);
    job.collection.mstx = seed % 2 == 0;  // Then there is a mark as well.
    const CauseTimes before = job.collection.mstx ? explained(job) : healthy_times(seed);
    job.faults.slow_loader_ms = 4;
    const CauseTimes after = explained(job);
    EXPECT_EQ(largest_growth(before, after), IdleCause::kDataLoader);
    // Before the first kernel of the profile nothing waits.
    const double stall_ns = static_cast<double>(time_of(after, IdleCause::kDataLoader) -
                                                time_of(before, IdleCause::kDataLoader));
    EXPECT_NEAR(stall_ns, 2 * 4e6, 2 * 4e6 * 0.01);
  }
}

// Everything of the host grows; what the device does by itself does not.
TEST(IdleTruth, ASlowHostIsFound) {
  for (std::uint64_t seed = 1; seed <= kIdleSeeds; ++seed) {
    SCOPED_TRACE(seed);
    JobOptions job = idle_job(seed);
    const CauseTimes& before = healthy_times(seed);
    job.faults.host_bound = true;
    const CauseTimes after = explained(job);
    EXPECT_TRUE(analyze::is_of_host(largest_growth(before, after)));
    for (const IdleCause cause :
         {IdleCause::kLaunch, IdleCause::kOperator, IdleCause::kQueue, IdleCause::kStepBoundary}) {
      EXPECT_GT(time_of(after, cause), 5 * time_of(before, cause))
          << analyze::idle_cause_name(cause);
    }
    for (const IdleCause cause : {IdleCause::kStartLatency, IdleCause::kCopy}) {
      EXPECT_LE(time_of(after, cause), time_of(before, cause) + 10'000)
          << analyze::idle_cause_name(cause);
    }
    EXPECT_EQ(time_of(after, IdleCause::kGarbageCollection), 0);
    EXPECT_EQ(time_of(after, IdleCause::kDataLoader), 0);
  }
}

// What makes kernels slow leaves the host as it was.
TEST(IdleTruth, ASlowDeviceIsNoFaultOfTheHost) {
  for (std::uint64_t seed = 1; seed <= kIdleSeeds; ++seed) {
    SCOPED_TRACE(seed);
    JobOptions job = idle_job(seed);
    const CauseTimes& before = healthy_times(seed);
    job.faults.slow_ranks = {{.rank = 0, .factor = 3}};
    const CauseTimes after = explained(job);
    std::int64_t growth_ns = 0;
    for (std::size_t i = 0; i < kIdleCauseCount; ++i) growth_ns += after[i] - before[i];
    EXPECT_LE(growth_ns, 50'000) << "of 3 steps";
    EXPECT_EQ(time_of(after, IdleCause::kGarbageCollection), 0);
  }
}

// Workloads, levels and parallel sizes of all kinds: rows tile free time.
TEST(IdleTruth, CausesOfEveryProfileTileFreeTime) {
  for (const sim::Workload workload : {sim::Workload::kToy, sim::Workload::kTransformer,
                                       sim::Workload::kGraphMode, sim::Workload::kInference}) {
    for (const sim::CollectionLevel level :
         {sim::CollectionLevel::kLevel0, sim::CollectionLevel::kLevel1,
          sim::CollectionLevel::kLevel2}) {
      SCOPED_TRACE(static_cast<int>(workload) * 10 + static_cast<int>(level));
      const TemporaryDirectory directory;
      JobOptions job = idle_job(7);
      job.workload = workload;
      job.output = directory / "job";
      job.collection.level = level;
      if (!job.collection.operator_details()) job.collection.aic_metrics = {};
      job.collection.mstx = level != sim::CollectionLevel::kLevel1;
      job.framework.with_stack = level != sim::CollectionLevel::kLevel0;
      job.framework.with_modules = level == sim::CollectionLevel::kLevel2;
      job.inference = {.requests = 2, .prompt = 64, .decode = 2};
      job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 3};
      job.ranks = 2;
      job.parallel.data = 2;
      ASSERT_TRUE(sim::run_job(job).ok());
      const auto found = load::discover(job.output);
      ASSERT_TRUE(found.ok());
      for (const load::Profile& profile : found->profiles) {
        const trace::Trace trace = linked_trace(profile.path);
        const std::vector<IdleRow> rows = analyze::idle_causes(trace);
        EXPECT_FALSE(rows.empty());
        expect_idle_tiles(trace, rows);
        const fs::path database = directory / "ascend_pytorch_profiler_0.db";
        ThreadPool pool(1);
        ASSERT_TRUE(report::sqlite::write_database(trace, database, pool).ok());
        const trace::Trace again = linked_trace(database);
        expect_idle_tiles(again, analyze::idle_causes(again));
      }
    }
  }
}

// Results of real devices, of several origins.
TEST(IdleTruth, CausesOfRealProfilesTileFreeTime) {
  const fs::path real = npuprof::testing::shared_data_path("data/real");
  if (!fs::exists(real)) GTEST_SKIP() << "no reference data";
  std::size_t explained_profiles = 0;
  for (const char* part : {"db", "text", "gpu_chrome_trace"}) {
    const auto found = load::discover(real / part);
    if (!found.ok()) continue;
    for (const load::Profile& profile : found->profiles) {
      SCOPED_TRACE(profile.path);
      const trace::Trace trace = linked_trace(profile.path);
      const std::vector<IdleRow> rows = analyze::idle_causes(trace);
      EXPECT_FALSE(rows.empty());
      expect_idle_tiles(trace, rows);
      ++explained_profiles;
    }
  }
  EXPECT_GE(explained_profiles, 3u);
}

// A profile that was cut off has causes too.
TEST(IdleTruth, CausesOfAKilledProfileTileFreeTime) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const TemporaryDirectory directory;
    JobOptions job = idle_job(seed);
    job.output = directory / "job";
    job.faults.kill_at_ms = 1.0 + 0.4 * static_cast<double>(seed);
    job.faults.drop_share = 0.1;
    ASSERT_TRUE(sim::run_job(job).ok());
    const trace::Trace trace = linked_trace(job.output);
    const std::vector<IdleRow> rows = analyze::idle_causes(trace);
    if (!analyze::step_times(trace).empty()) expect_idle_tiles(trace, rows);
  }
}

}  // namespace
}  // namespace npuprof
