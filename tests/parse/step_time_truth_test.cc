// Steps of simulated profiles: a fault shows in the part of the step that it makes longer.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/step_time.h"
#include "parse/simulated_run.h"
#include "sanitizers.h"

namespace npuprof {
namespace {

using analyze::StepTime;
using npuprof::testing::run_and_load;
using npuprof::testing::small_training_job;

// Under sanitizers a few are enough: all of them run in release.
constexpr std::uint64_t kStepSeeds = npuprof::testing::kHasAddressSanitizer ? 4 : 50;

std::vector<StepTime> steps_of(const sim::JobOptions& job) {
  return analyze::step_times(run_and_load(job));
}

TEST(StepTimeTruth, ASlowHostMakesStepsFreeAndComputingNoLonger) {
  for (std::uint64_t seed = 1; seed <= kStepSeeds; ++seed) {
    SCOPED_TRACE(seed);
    sim::JobOptions job = small_training_job(seed);
    const std::vector<StepTime> healthy = steps_of(job);
    job.faults.host_bound = true;
    const std::vector<StepTime> slow = steps_of(job);
    ASSERT_EQ(slow.size(), healthy.size());
    for (std::size_t i = 0; i < slow.size(); ++i) {
      EXPECT_GT(slow[i].free_ns, slow[i].computing_ns);
      EXPECT_LT(healthy[i].free_ns, healthy[i].computing_ns);
      const auto computing_ns = static_cast<double>(healthy[i].computing_ns);
      EXPECT_NEAR(static_cast<double>(slow[i].computing_ns), computing_ns, 0.02 * computing_ns);
    }
  }
}

TEST(StepTimeTruth, ALoweredClockMakesSomeStepsComputeLonger) {
  for (std::uint64_t seed = 1; seed <= kStepSeeds; ++seed) {
    SCOPED_TRACE(seed);
    sim::JobOptions job = small_training_job(seed);
    const std::vector<StepTime> healthy = steps_of(job);
    job.faults.frequency_drop = true;
    const std::vector<StepTime> slow = steps_of(job);
    ASSERT_EQ(slow.size(), healthy.size());
    double most = 0;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      most = std::max(most, static_cast<double>(slow[i].computing_ns) /
                                static_cast<double>(healthy[i].computing_ns));
    }
    // At two thirds of the clock what is bound by the cores takes half as long again.
    EXPECT_GT(most, 1.1);
    EXPECT_LT(most, 1.55);
  }
}

}  // namespace
}  // namespace npuprof
