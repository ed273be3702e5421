// The gate and the comparison on simulated profiles, of which it is known what is slower.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analyze/profile_difference.h"
#include "analyze/profile_parts.h"
#include "answers/compare_answer.h"
#include "answers/gate_answer.h"
#include "parse/simulated_run.h"
#include "sanitizers.h"

namespace npuprof {
namespace {

using analyze::ProfileParts;
using answers::GateResult;
using answers::GateRow;
using answers::GateVerdict;
using npuprof::testing::run_and_load;
using npuprof::testing::small_training_job;

// Under sanitizers a few are enough: all of them run in release.
constexpr std::uint64_t kGateSeeds = npuprof::testing::kHasAddressSanitizer ? 4 : 50;

ProfileParts parts_of(const sim::JobOptions& job) {
  return analyze::profile_parts(run_and_load(job));
}

std::string failures_of(const GateResult& result) {
  std::string text;
  for (const GateRow& row : result.rows) {
    if (row.verdict != GateVerdict::kFailed) continue;
    text += row.level + " " + row.name + " " + std::to_string(row.change) + " p " +
            std::to_string(row.chance) + "\n";
  }
  return text;
}

bool has_failed(const GateResult& result, std::string_view level, std::string_view name) {
  for (const GateRow& row : result.rows) {
    if (row.level == level && row.name == name) return row.verdict == GateVerdict::kFailed;
  }
  return false;
}

TEST(GateTruth, TwoRunsOfTheSameJobPassWhateverTheSeed) {
  ProfileParts before = parts_of(small_training_job(1));
  ASSERT_EQ(before.steps.size(), 6u);
  for (std::uint64_t seed = 2; seed < 2 + kGateSeeds; ++seed) {
    ProfileParts now = parts_of(small_training_job(seed));
    const GateResult result = answers::gate_parts(before, now, {});
    EXPECT_TRUE(result.is_tested);
    EXPECT_GT(result.rows.size(), 10u);
    EXPECT_TRUE(result.passed) << "seed " << seed << ": " << failures_of(result);
    before = std::move(now);
  }
}

TEST(GateTruth, SlowKernelsFailWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= kGateSeeds; ++seed) {
    const ProfileParts base = parts_of(small_training_job(seed));
    sim::JobOptions slow = small_training_job(seed + 1000);
    slow.faults.slow_ranks = {{.rank = 0, .factor = 1.2}};
    const GateResult result = answers::gate_parts(base, parts_of(slow), {});
    EXPECT_FALSE(result.passed) << "seed " << seed;
    EXPECT_TRUE(has_failed(result, "step", "Computing Time")) << "seed " << seed;
    EXPECT_TRUE(has_failed(result, "kernel type", "MatMulV3")) << "seed " << seed;
  }
}

TEST(GateTruth, ASlowFamilyOfKernelsFailsAloneWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= kGateSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const ProfileParts base = parts_of(small_training_job(seed));
    sim::JobOptions slow = small_training_job(seed + 1000);
    slow.faults.slow_kernels = {{.type = "RmsNorm", .factor = 2}};
    const GateResult result = answers::gate_parts(base, parts_of(slow), {});
    EXPECT_FALSE(result.passed);
    EXPECT_TRUE(has_failed(result, "kernel type", "RmsNorm"));
    for (const GateRow& row : result.rows) {
      if (row.level != "kernel type" || row.name == "RmsNorm") continue;
      EXPECT_NE(row.verdict, GateVerdict::kFailed) << row.name;
    }
  }
}

// One family takes longer while steps as a whole do not change at all.
TEST(GateTruth, OneSlowFamilyFailsInAnUnchangedStep) {
  const ProfileParts base = parts_of(small_training_job(1));
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    ProfileParts now = parts_of(small_training_job(seed));
    for (auto* list : {&now.kernels, &now.kernel_types}) {
      for (analyze::PartSeries& series : *list) {
        if (series.key != "RmsNorm") continue;
        for (std::int64_t& ns : series.ns) ns = ns * 5 / 4;
      }
    }
    const GateResult result = answers::gate_parts(base, now, {});
    EXPECT_FALSE(result.passed);
    EXPECT_TRUE(has_failed(result, "kernel type", "RmsNorm"));
    EXPECT_FALSE(has_failed(result, "step", "E2E Time"));
    EXPECT_FALSE(has_failed(result, "kernel type", "MatMulV3"));
  }
}

TEST(GateTruth, SlowHostsAndGarbageCollectionsFailTheStepAndNoKernel) {
  for (const bool garbage : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      sim::JobOptions job = small_training_job(seed + 100);
      job.faults.garbage = garbage;
      job.faults.host_bound = !garbage;
      const GateResult result =
          answers::gate_parts(parts_of(small_training_job(seed)), parts_of(job), {});
      EXPECT_TRUE(has_failed(result, "step", "E2E Time")) << garbage << " seed " << seed;
      EXPECT_FALSE(has_failed(result, "step", "Computing Time")) << failures_of(result);
      EXPECT_FALSE(has_failed(result, "kernel type", "MatMulV3")) << failures_of(result);
    }
  }
}

// The clock is low from the second step on.
TEST(GateTruth, ALoweredClockFailsComputing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    sim::JobOptions job = small_training_job(seed + 100);
    job.faults.frequency_drop = true;
    const GateResult result =
        answers::gate_parts(parts_of(small_training_job(seed)), parts_of(job), {});
    EXPECT_TRUE(has_failed(result, "step", "Computing Time")) << "seed " << seed;
  }
}

TEST(CompareTruth, NamesKernelsModulesAndOperatorsThatAreSlower) {
  const ProfileParts base = parts_of(small_training_job(1));
  sim::JobOptions job = small_training_job(2);
  job.faults.slow_ranks = {{.rank = 0, .factor = 1.5}};
  const ProfileParts slow = parts_of(job);
  const auto difference = analyze::profile_difference(base, slow);
  EXPECT_TRUE(difference.is_tested);
  ASSERT_FALSE(difference.kernel_types.empty());
  EXPECT_EQ(difference.kernel_types.front().key, "MatMulV3");
  EXPECT_NEAR(difference.kernel_types.front().ratio(), 1.5, 0.05);
  EXPECT_EQ(analyze::verdict_of(difference.kernel_types.front()), analyze::Verdict::kSlower);
  ASSERT_FALSE(difference.operators.empty());
  EXPECT_EQ(difference.operators.front().key, "aten::mm");
  ASSERT_FALSE(difference.operators.front().reasons.empty());
  EXPECT_EQ(difference.operators.front().reasons.front().kernel, "MatMulV3");
  ASSERT_FALSE(difference.modules.empty());
  ASSERT_FALSE(difference.modules.front().reasons.empty());
}

// Parts of the tree add up to the step, and kernels to their sums.
TEST(CompareTruth, OverallTimesAddUp) {
  sim::JobOptions job = small_training_job(3);
  job.ranks = 2;
  job.parallel.data = 2;
  const ProfileParts parts = parts_of(job);
  std::int64_t top_ns = 0;
  std::int64_t group_ns = 0;
  std::int64_t uncovered_ns = 0;
  std::int64_t whole_ns = 0;
  for (const analyze::PartSeries& node : parts.overall) {
    if (node.key == "E2E Time")
      whole_ns = node.total_ns();
    else if (node.depth == 0)
      top_ns += node.total_ns();
    if (node.key == "Uncovered Communication Time") uncovered_ns = node.total_ns();
    if (node.key == "Group 1") group_ns = node.total_ns();
  }
  EXPECT_GT(whole_ns, 0);
  EXPECT_EQ(top_ns, whole_ns);
  EXPECT_GT(uncovered_ns, 0);
  EXPECT_EQ(group_ns, uncovered_ns);
  std::int64_t kernels_ns = 0;
  std::int64_t classes_ns = 0;
  for (const analyze::PartSeries& series : parts.kernels) kernels_ns += series.total_ns();
  for (const analyze::PartSeries& series : parts.collectives) kernels_ns += series.total_ns();
  for (const analyze::PartSeries& series : parts.kernel_classes) classes_ns += series.total_ns();
  EXPECT_EQ(classes_ns, kernels_ns);
}

TEST(CompareTruth, GivesAllTables) {
  const trace::Trace base = run_and_load(small_training_job(1));
  const trace::Trace other = run_and_load(small_training_job(2));
  const analyze::SharedResults base_results(base);
  const analyze::SharedResults other_results(other);
  const auto answer = answers::compare_profiles({.trace = base, .results = base_results},
                                                {.trace = other, .results = other_results});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  std::string names;
  for (const answers::Table& table : answer->tables) {
    names += table.name() + " ";
    EXPECT_GT(table.size(), 0u) << table.name();
    for (const answers::Column& column : table.columns()) {
      EXPECT_EQ(column.size(), table.size()) << table.name() << "." << column.key;
    }
  }
  EXPECT_EQ(names, "overall steps modules operators kernels kernel_classes api memory ");
  const trace::Trace empty;
  const analyze::SharedResults nothing(empty);
  EXPECT_FALSE(answers::compare_profiles({.trace = base, .results = base_results},
                                         {.trace = empty, .results = nothing})
                   .ok());
}

}  // namespace
}  // namespace npuprof
