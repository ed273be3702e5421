// Simulated profiles of graph mode and of inference: what analyses say against what was simulated.

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyze/head_overhead.h"
#include "analyze/host_lead.h"
#include "analyze/serving.h"
#include "base/file.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/framework/steps.h"
#include "trace/linked/kernels.h"

namespace npuprof {
namespace {

using analyze::GraphExecution;
using npuprof::testing::TemporaryDirectory;
using sim::JobOptions;
using sim::Workload;

struct SimulatedRun {
  trace::Trace trace;
  nlohmann::json truth;
};

SimulatedRun simulated_run(JobOptions job) {
  const TemporaryDirectory directory;
  job.output = directory / "job";
  job.chip = *sim::find_chip("Ascend910B3");
  EXPECT_TRUE(sim::run_job(job).ok());
  trace::Losses losses;
  ThreadPool pool(2);
  SimulatedRun run;
  run.trace =
      load::load_profile(load::discover(job.output)->profiles.front(), pool, losses).value();
  link::link_all(run.trace, &pool);
  run.truth =
      nlohmann::json::parse(read_file(job.output / "manifest.json").value())["ranks"][0]["truth"];
  return run;
}

void expect_sums_of_parts(const GraphExecution& row) {
  ASSERT_TRUE(row.is_whole());
  ASSERT_TRUE(row.head_ns);
  EXPECT_EQ(*row.ge_ns, *row.ge_launch_ns + *row.post_cpp_ns + *row.post_py_ns);
  EXPECT_EQ(*row.head_ns, *row.front_end_ns + row.compile_ns + *row.torchair_py_ns + row.load_ns +
                              *row.torchair_cpp_ns + *row.ge_ns);
}

// Each phase of a simulated call takes the time that sim/workload/graph_mode.cc gives it, and a
// little for the ranges themselves.
void expect_simulated_parts(const GraphExecution& row) {
  const auto expect_about = [](std::int64_t value, std::int64_t simulated) {
    EXPECT_GE(value, simulated);
    EXPECT_LE(value, simulated + 3'000);
  };
  expect_about(*row.torchair_py_ns, 60'000);
  expect_about(row.assemble_inputs_ns, 18'000);
  expect_about(row.assemble_outputs_ns, 9'000);
  expect_about(*row.torchair_cpp_ns, 18'000 + 6'000 + 9'000 + 2'000);
  if (row.compile_ns == 0) {
    expect_about(*row.front_end_ns, 45'000);
  } else {
    EXPECT_GE(row.compile_ns, 25'000'000);
    expect_about(*row.front_end_ns, 45'000 + 9'000'000);
  }
  ASSERT_TRUE(row.first_kernel_ns);
  EXPECT_FALSE(row.first_kernel_is_guess);
  EXPECT_GT(*row.first_kernel_ns, 0);
}

TEST(GraphModeTruth, EveryExecutionIsFoundWithItsParts) {
  JobOptions job{.workload = Workload::kGraphMode, .steps = 6};
  job.graph_mode = {.graphs = 3, .kernels_per_graph = 12, .recompile_every = 4};
  const SimulatedRun run = simulated_run(job);
  const analyze::HeadOverhead overhead = analyze::head_overhead(run.trace);
  EXPECT_EQ(overhead.executions.size(), run.truth["counts"]["graph_replays"].get<std::size_t>());
  std::size_t recompiled_steps = 0;
  for (const nlohmann::json& step : run.truth["steps"]) {
    recompiled_steps += step["id"].get<std::int64_t>() % 4 == 0 ? 1 : 0;
  }
  ASSERT_GT(recompiled_steps, 0u);
  std::size_t compiled = 0;
  for (std::size_t i = 0; i < overhead.executions.size(); ++i) {
    SCOPED_TRACE(i);
    const GraphExecution& row = overhead.executions[i];
    expect_sums_of_parts(row);
    expect_simulated_parts(row);
    EXPECT_EQ(row.group, "#" + std::to_string(i % 3 + 1));
    EXPECT_EQ(row.step, run.truth["steps"][i / 3]["id"].get<std::int64_t>());
    EXPECT_EQ(row.rule, analyze::FrontEndRule::kRegion);
    compiled += row.compile_ns > 0 ? 1 : 0;
  }
  EXPECT_EQ(compiled, recompiled_steps);
  const auto rows = analyze::summarize_head_overhead(run.trace, overhead);
  std::size_t calls = 0;
  for (const analyze::HeadOverheadSummary& row : rows) calls += row.calls;
  EXPECT_EQ(calls, overhead.executions.size());
}

TEST(InferenceTruth, PrefillAndDecodeHaveTheirKernelsAndTokens) {
  JobOptions job{.workload = Workload::kInference, .steps = 3};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.inference = {.requests = 4, .prompt = 64, .decode = 5};
  const SimulatedRun run = simulated_run(job);
  const analyze::Serving serving = analyze::serving(run.trace);
  EXPECT_EQ(serving.source, analyze::ServingSource::kRanges);
  ASSERT_EQ(serving.iterations.size(), 3u * (1 + 5));
  std::size_t kernels = 0;
  for (std::size_t i = 0; i < serving.iterations.size(); ++i) {
    SCOPED_TRACE(i);
    const analyze::ServingIteration& row = serving.iterations[i];
    const bool is_prefill = i % 6 == 0;
    EXPECT_EQ(row.phase,
              is_prefill ? analyze::ServingPhase::kPrefill : analyze::ServingPhase::kDecode);
    EXPECT_EQ(row.tokens, is_prefill ? 4u * 64 : 4u);
    EXPECT_EQ(row.step, run.truth["steps"][i / 6]["id"].get<std::int64_t>());
    kernels += row.kernels;
  }
  EXPECT_EQ(kernels, run.truth["counts"]["kernels"].get<std::size_t>());
  EXPECT_TRUE(analyze::time_to_first_token_ns(serving));
}

TEST(TrainingTruth, TrainingIsNoServing) {
  JobOptions job{.workload = Workload::kTransformer, .steps = 2};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  const SimulatedRun run = simulated_run(job);
  EXPECT_EQ(analyze::serving(run.trace).source, analyze::ServingSource::kNothing);
  EXPECT_TRUE(analyze::head_overhead(run.trace).executions.empty());
}

double share_of_starved_kernels(bool host_bound) {
  JobOptions job{.workload = Workload::kTransformer, .steps = 2};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.faults.host_bound = host_bound;
  const SimulatedRun run = simulated_run(job);
  const analyze::HostLead lead = analyze::host_lead(run.trace);
  EXPECT_EQ(lead.kernels + lead.not_known, run.truth["counts"]["kernels"].get<std::size_t>());
  return static_cast<double>(lead.starved) / static_cast<double>(lead.kernels);
}

TEST(HostLeadTruth, ASlowHostStarvesTheDevice) {
  const double slow = share_of_starved_kernels(true);
  EXPECT_GT(slow, 0.5);
  EXPECT_GT(slow, share_of_starved_kernels(false));
}

}  // namespace
}  // namespace npuprof
