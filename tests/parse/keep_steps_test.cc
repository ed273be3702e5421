// Chosen steps of simulated profiles: what is left is what belongs to them, all of it, and every
// reference between tables still leads to the same row.

#include "analyze/keep_steps.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/step_finder.h"
#include "analyze/step_time.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof {
namespace {

using analyze::StepRange;
using npuprof::testing::TemporaryDirectory;
using trace::kNone;
using trace::Trace;

class KeepSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    sim::JobOptions job{.workload = sim::Workload::kTransformer,
                        .output = directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 2,
                        .steps = 5};
    job.parallel.data = 2;
    job.transformer = {.layers = 2, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 512};
    job.collection.mstx = true;
    job.collection.memory = true;
    job.framework.profile_memory = true;
    job.framework.with_stack = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    profile_ = load::discover(job.output)->profiles.front();
    whole_ = linked();
    ASSERT_EQ(whole_.steps().size(), 5u);
  }

  Trace linked() {
    ThreadPool pool(2);
    trace::Losses losses;
    Trace trace = load::load_profile(profile_, pool, losses).value();
    link::link_all(trace, &pool);
    return trace;
  }
  // Steps by their place in the profile.
  Trace with_steps(std::size_t first, std::size_t last) {
    Trace trace = linked();
    const StepRange range{whole_.steps().id[first], whole_.steps().id[last]};
    EXPECT_TRUE(analyze::keep_steps(trace, std::vector{range}).ok());
    return trace;
  }

  TemporaryDirectory directory_;
  load::Profile profile_;
  Trace whole_;
};

TEST_F(KeepSteps, EachStepHasItsPartAndTogetherTheyAreAll) {
  std::size_t kernels = 0;
  std::size_t collectives = 0;
  std::size_t operators = 0;
  std::size_t memory_events = 0;
  std::size_t enqueues = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const Trace trace = with_steps(i, i);
    ASSERT_EQ(trace.steps().size(), 1u);
    EXPECT_GT(trace.kernels().size(), 10u);
    EXPECT_LT(trace.kernels().size(), whole_.kernels().size() / 3);
    kernels += trace.kernels().size();
    collectives += trace.collective_ops().size();
    operators += trace.framework_ops().size();
    memory_events += trace.memory_events().size();
    enqueues += trace.enqueues().size();
  }
  const analyze::StepFinder finder(whole_.steps(), analyze::StepFinder::End::kExcluded);
  std::size_t kernels_in_steps = 0;
  for (const std::uint32_t task : whole_.kernels().task) {
    kernels_in_steps += finder.find(whole_.tasks().start_ns[task]) != kNone ? 1 : 0;
  }
  EXPECT_GT(kernels_in_steps, 50u);
  // Kernels inside a collective go with it, wherever they begin.
  EXPECT_EQ(kernels, kernels_in_steps);
  EXPECT_EQ(collectives, whole_.collective_ops().size());
  EXPECT_LE(operators, whole_.framework_ops().size());
  // Parameters are allocated before the first step.
  EXPECT_GE(operators + 20, whole_.framework_ops().size());
  EXPECT_LE(memory_events, whole_.memory_events().size());
  EXPECT_LE(enqueues, whole_.enqueues().size());
  EXPECT_GE(enqueues + 10, whole_.enqueues().size());
}

TEST_F(KeepSteps, StepTimesAreThoseOfTheWholeProfile) {
  const auto before = analyze::step_times(whole_);
  const auto after = analyze::step_times(with_steps(1, 3));
  ASSERT_EQ(before.size(), 5u);
  ASSERT_EQ(after.size(), 3u);
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].step, before[i + 1].step);
    EXPECT_EQ(after[i].computing_ns, before[i + 1].computing_ns);
    EXPECT_EQ(after[i].not_overlapped_ns, before[i + 1].not_overlapped_ns);
    EXPECT_EQ(after[i].free_ns, before[i + 1].free_ns);
    EXPECT_EQ(after[i].preparing_ns, before[i + 1].preparing_ns);
    EXPECT_EQ(after[i].stage_ns, before[i + 1].stage_ns);
  }
}

// A kernel with everything that joins refer to.
using KernelFacts = std::tuple<std::int64_t, std::string, std::int64_t, std::set<std::string>>;

std::set<KernelFacts> facts_of(const Trace& trace) {
  std::vector<std::set<std::string>> operators(trace.tasks().size());
  for (std::size_t i = 0; i < trace.kernel_ops().size(); ++i) {
    operators[trace.kernel_ops().task[i]].emplace(
        trace.strings.view(trace.framework_ops().name[trace.kernel_ops().op[i]]));
  }
  std::set<KernelFacts> facts;
  for (std::uint32_t kernel = 0; kernel < trace.kernels().size(); ++kernel) {
    const std::uint32_t task = trace.kernels().task[kernel];
    EXPECT_EQ(trace.tasks().kernel[task], kernel);
    const std::uint32_t api = trace.tasks().api[task];
    facts.emplace(trace.tasks().start_ns[task],
                  std::string(trace.strings.view(trace.kernels().name[kernel])),
                  api == kNone ? 0 : trace.api_calls().start_ns[api], operators[task]);
  }
  return facts;
}

TEST_F(KeepSteps, JoinsLeadToTheSameRows) {
  const Trace trace = with_steps(2, 3);
  const std::set<KernelFacts> whole = facts_of(whole_);
  const std::set<KernelFacts> kept = facts_of(trace);
  EXPECT_GT(kept.size(), 20u);
  for (const KernelFacts& kernel : kept) EXPECT_TRUE(whole.contains(kernel));

  const auto& parts = trace.collective_tasks();
  EXPECT_GT(parts.size(), 0u);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ASSERT_LT(parts.op[i], trace.collective_ops().size());
    ASSERT_LT(parts.task[i], trace.tasks().size());
    EXPECT_EQ(parts.start_ns[i], trace.tasks().start_ns[parts.task[i]]);
    EXPECT_GE(parts.start_ns[i], trace.collective_ops().start_ns[parts.op[i]]);
  }
  std::size_t joined = 0;
  for (std::uint32_t i = 0; i < trace.enqueues().size(); ++i) {
    const std::uint32_t partner = trace.enqueues().partner[i];
    if (partner == kNone) continue;
    ++joined;
    EXPECT_EQ(trace.dequeues().partner[partner], i);
    EXPECT_EQ(trace.dequeues().correlation[partner], trace.enqueues().correlation[i]);
  }
  EXPECT_EQ(joined, trace.dequeues().size());
  EXPECT_GT(joined, 20u);
  for (const std::uint32_t event : trace.allocations().malloc_event) {
    ASSERT_LT(event, trace.memory_events().size());
    EXPECT_GT(trace.memory_events().size_bytes[event], 0);
  }
  EXPECT_GT(trace.allocations().size(), 0u);
  for (std::size_t i = 0; i < trace.forward_backward().size(); ++i) {
    EXPECT_EQ(trace.framework_ops().sequence[trace.forward_backward().forward[i]],
              trace.framework_ops().sequence[trace.forward_backward().backward[i]]);
  }
}

TEST_F(KeepSteps, AllResultFilesCanBeWritten) {
  const Trace trace = with_steps(4, 4);
  ThreadPool pool(2);
  const report::ExportOptions to{.text = true,
                                 .database = true,
                                 .perfetto = true,
                                 .output = directory_ / "results",
                                 .time_stamp = "20250101000000"};
  const Status framework = report::export_framework(trace, to, pool);
  EXPECT_TRUE(framework.ok()) << framework.error().message;
  const Status cann = report::export_cann(trace, to, pool);
  EXPECT_TRUE(cann.ok()) << cann.error().message;
}

TEST_F(KeepSteps, StepsThatAreNotThereAreAnError) {
  Trace trace = linked();
  const Status status = analyze::keep_steps(trace, std::vector{StepRange{1000, 2000}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(trace.kernels().size(), whole_.kernels().size()) << "nothing is removed then";
  Trace empty;
  EXPECT_FALSE(analyze::keep_steps(empty, std::vector{StepRange{0, 9}}).ok());
}

TEST(KeepIteration, KeepsWhatRanInIt) {
  Trace trace;
  for (std::uint64_t i = 0; i < 3; ++i) {
    auto& rows = trace.iterations();
    trace::resize_rows(rows, i + 1);
    rows.model_id[i] = 7;
    rows.index[i] = i + 1;
    rows.start_ns[i] = static_cast<std::int64_t>(i) * 100;
    rows.end_ns[i] = static_cast<std::int64_t>(i + 1) * 100;
  }
  trace::resize_rows(trace.tasks(), 6);
  for (std::size_t i = 0; i < 6; ++i) {
    trace.tasks().start_ns[i] = static_cast<std::int64_t>(i) * 50;
    trace.tasks().api[i] = kNone;
    trace.tasks().kernel[i] = kNone;
  }
  EXPECT_FALSE(analyze::keep_iterations(trace, {8, 2}).ok());
  EXPECT_FALSE(analyze::keep_iterations(trace, {7, 9}).ok());
  ASSERT_TRUE(analyze::keep_iterations(trace, {7, 2, 5}).ok());
  EXPECT_EQ(trace.iterations().index, (std::vector<std::uint64_t>{2, 3}));
  ASSERT_TRUE(analyze::keep_iterations(trace, {7, 2}).ok());
  EXPECT_EQ(trace.tasks().start_ns, (std::vector<std::int64_t>{100, 150}));
  EXPECT_EQ(trace.iterations().index, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(trace.session.begin_ns, 100);
}

}  // namespace
}  // namespace npuprof
