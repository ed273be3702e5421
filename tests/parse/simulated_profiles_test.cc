// Simulated profiles, whose content is known, through load and link: nothing missing, nothing
// twice, times exact.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyze/step_finder.h"
#include "base/file.h"
#include "even_columns.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/steps.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;
using sim::CollectionLevel;
using sim::JobOptions;
using sim::Workload;

JobOptions small_job(Workload workload, const fs::path& output) {
  JobOptions job{
      .workload = workload, .output = output, .chip = *sim::find_chip("Ascend910B3"), .steps = 3};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.inference = {.requests = 2, .prompt = 64, .decode = 2};
  job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 3};
  job.collection.memory = true;
  job.framework.profile_memory = true;
  return job;
}

nlohmann::json manifest_of(const fs::path& directory) {
  return nlohmann::json::parse(read_file(directory / "manifest.json").value());
}

trace::Trace parsed(const load::Profile& profile, trace::Losses& losses) {
  ThreadPool pool(2);
  trace::Trace trace = load::load_profile(profile, pool, losses).value();
  link::link_all(trace, &pool);
  EXPECT_EQ(npuprof::testing::uneven_columns(trace), "");
  return trace;
}

// Kernels that ran during each step, by row of Steps.
std::vector<std::size_t> kernels_of_steps(const trace::Trace& trace) {
  std::vector<std::size_t> kernels(trace.steps().size());
  const analyze::StepFinder steps(trace.steps(), analyze::StepFinder::End::kIncluded);
  for (const std::uint32_t task : trace.kernels().task) {
    const std::uint32_t step = steps.find(trace.tasks().start_ns[task]);
    if (step != trace::kNone) ++kernels[step];
  }
  return kernels;
}

void expect_truth(const trace::Trace& trace, const nlohmann::json& rank) {
  const nlohmann::json& truth = rank["truth"];
  const nlohmann::json& counts = truth["counts"];
  EXPECT_EQ(trace.framework_ops().size(), rank["framework_records"]["ops"].get<std::size_t>());
  EXPECT_EQ(trace.memory_events().size(), rank["framework_records"]["memory"].get<std::size_t>());
  EXPECT_EQ(trace.kernels().size(), counts["kernels"].get<std::size_t>());
  EXPECT_EQ(trace.collective_ops().size(), counts["collectives"].get<std::size_t>());

  std::int64_t kernel_ns = 0;
  std::size_t without_launch = 0;
  for (const std::uint32_t task : trace.kernels().task) {
    kernel_ns += trace.tasks().end_ns[task] - trace.tasks().start_ns[task];
    without_launch += trace.tasks().api[task] == trace::kNone ? 1 : 0;
  }
  EXPECT_EQ(kernel_ns, truth["kernel_ns"].get<std::int64_t>());
  EXPECT_EQ(without_launch, 0u) << "every kernel has the call that launched it";

  std::size_t copies = 0;
  for (const std::uint32_t direction : trace.tasks().copy_direction)
    copies += direction != trace::kNone ? 1 : 0;
  EXPECT_EQ(copies,
            counts["copies"].get<std::size_t>() + counts["collective_copies"].get<std::size_t>());

  ASSERT_EQ(trace.steps().size(), truth["steps"].size());
  const std::vector<std::size_t> kernels = kernels_of_steps(trace);
  for (std::size_t i = 0; i < trace.steps().size(); ++i) {
    const nlohmann::json& step = truth["steps"][i];
    EXPECT_EQ(kernels[i], step["kernels"].get<std::size_t>());
    EXPECT_EQ(trace.steps().id[i], step["id"].get<std::int64_t>());
    EXPECT_EQ(trace.steps().host_start_ns[i], step["begin_wall_ns"].get<std::int64_t>());
    EXPECT_EQ(trace.steps().host_end_ns[i], step["end_wall_ns"].get<std::int64_t>());
  }
}

using Case = std::pair<Workload, CollectionLevel>;
class EveryProfile : public ::testing::TestWithParam<Case> {};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Workload workload :
       {Workload::kToy, Workload::kTransformer, Workload::kGraphMode, Workload::kInference}) {
    for (const CollectionLevel level :
         {CollectionLevel::kLevel0, CollectionLevel::kLevel1, CollectionLevel::kLevel2}) {
      cases.emplace_back(workload, level);
    }
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Simulated, EveryProfile, ::testing::ValuesIn(all_cases()));

TEST_P(EveryProfile, IsFoundAgainWithoutLosses) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(GetParam().first, directory / "job");
  job.collection.level = GetParam().second;
  if (!job.collection.operator_details()) job.collection.aic_metrics = {};
  job.collection.mstx = true;
  job.ranks = 2;
  job.parallel.data = 2;
  ASSERT_TRUE(sim::run_job(job).ok());
  const nlohmann::json manifest = manifest_of(job.output);
  auto found = load::discover(job.output);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->profiles.size(), 2u);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    trace::Losses losses;
    const trace::Trace trace = parsed(found->profiles[rank], losses);
    for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.file << ": " << loss.what;
    EXPECT_TRUE(trace.session.simulated);
    EXPECT_EQ(trace.session.rank, static_cast<std::int32_t>(rank));
    expect_truth(trace, manifest["ranks"][rank]);
  }
}

// Each run of a graph counts to the step that executed it, not to the one that loaded the graph.
TEST(GraphModeProfile, RunsOfRecompiledGraphsAreInTheirSteps) {
  for (const std::uint32_t recompile_every : {0, 2, 3, 4}) {
    SCOPED_TRACE(recompile_every);
    const TemporaryDirectory directory;
    JobOptions job = small_job(Workload::kGraphMode, directory / "job");
    job.steps = 7;
    job.graph_mode.recompile_every = recompile_every;
    ASSERT_TRUE(sim::run_job(job).ok());
    trace::Losses losses;
    const trace::Trace trace = parsed(load::discover(job.output)->profiles.front(), losses);
    expect_truth(trace, manifest_of(job.output)["ranks"][0]);
    for (std::size_t i = 1; i < trace.steps().size(); ++i) {
      EXPECT_LE(trace.steps().device_end_ns[i - 1], trace.steps().device_start_ns[i]);
    }
  }
}

TEST(DamagedProfile, ATruncatedOneIsReadUpToTheCut) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kToy, directory / "job");
  job.faults.truncate = true;
  ASSERT_TRUE(sim::run_job(job).ok());
  const nlohmann::json manifest = manifest_of(job.output);
  trace::Losses losses;
  const trace::Trace trace = parsed(load::discover(job.output)->profiles.front(), losses);
  EXPECT_FALSE(losses.empty());
  const auto kernels = manifest["ranks"][0]["truth"]["counts"]["kernels"].get<std::size_t>();
  EXPECT_GE(trace.kernels().size() + 2, kernels);
  EXPECT_LE(trace.kernels().size(), kernels);
}

// Milliseconds that a rank of the job takes.
double length_ms(JobOptions job, const fs::path& output) {
  job.output = output;
  return static_cast<double>(sim::run_job(job)->ranks.front().duration_ns) / 1e6;
}

TEST(DamagedProfile, AKilledOneIsReadUpToItsDeath) {
  for (const Workload workload : {Workload::kToy, Workload::kTransformer, Workload::kGraphMode}) {
    const TemporaryDirectory directory;
    JobOptions job = small_job(workload, directory / "job");
    job.collection.mstx = true;
    job.ranks = 2;
    job.parallel.data = 2;
    const double whole_ms = length_ms(job, directory / "whole");
    for (const double part : {0.0, 0.41, 0.5, 0.83}) {
      job.faults.kill_at_ms = part * whole_ms;
      ASSERT_TRUE(sim::run_job(job).ok());
      const nlohmann::json rank = manifest_of(job.output)["ranks"][0];
      trace::Losses losses;
      // Its rank is not known without the end files; another rank may have lived on.
      const auto found = load::discover(job.output / rank["path"].get<std::string>());
      ASSERT_TRUE(found.ok());
      const trace::Trace trace = parsed(found->profiles.front(), losses);
      SCOPED_TRACE(part);
      EXPECT_FALSE(losses.empty());
      EXPECT_EQ(trace.kernels().size(), rank["truth"]["counts"]["kernels"].get<std::size_t>());
      EXPECT_EQ(trace.marks().size(), rank["truth"]["counts"]["marks"].get<std::size_t>());
      EXPECT_EQ(trace.steps().size(), rank["truth"]["steps"].size());
      EXPECT_EQ(trace.framework_ops().size(), rank["framework_records"]["ops"].get<std::size_t>());
      EXPECT_EQ(trace.memory_events().size(),
                rank["framework_records"]["memory"].get<std::size_t>());
    }
  }
}

}  // namespace
}  // namespace npuprof
