#include "analyze/step_finder.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::analyze {
namespace {

trace::Steps steps_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
  trace::Steps steps;
  for (const auto& [start, end] : ranges) {
    trace::resize_rows(steps, steps.size() + 1);
    steps.device_start_ns.back() = start;
    steps.device_end_ns.back() = end;
    steps.has_kernels.back() = end > start ? 1 : 0;
  }
  return steps;
}

TEST(StepFinderTest, TheFirstStepThatFitsWins) {
  const trace::Steps steps = steps_of({{0, 100}, {90, 200}, {300, 300}, {300, 400}});
  const StepFinder finder(steps, StepFinder::End::kIncluded);
  EXPECT_EQ(finder.rows().size(), 3u);
  EXPECT_EQ(finder.find(0), 0u);
  EXPECT_EQ(finder.find(95), 0u);
  EXPECT_EQ(finder.find(100), 0u);
  EXPECT_EQ(finder.find(101), 1u);
  EXPECT_EQ(finder.find(250), trace::kNone);
  EXPECT_EQ(finder.find(300), 3u);  // The step without kernels is not there.
  EXPECT_EQ(finder.find(401), trace::kNone);
  EXPECT_EQ(finder.find(-1), trace::kNone);
}

TEST(StepFinderTest, EndMayBelongToTheNextStep) {
  const trace::Steps steps = steps_of({{0, 100}, {100, 200}});
  EXPECT_EQ(StepFinder(steps, StepFinder::End::kExcluded).find(100), 1u);
  EXPECT_EQ(StepFinder(steps, StepFinder::End::kIncluded).find(100), 0u);
}

// A long step may end after the one that follows it.
TEST(StepFinderTest, StepsInsideOthersAreFound) {
  const trace::Steps steps = steps_of({{0, 50}, {60, 500}, {100, 200}, {600, 700}, {550, 650}});
  const StepFinder finder(steps, StepFinder::End::kExcluded);
  EXPECT_EQ(finder.find(55), trace::kNone);
  EXPECT_EQ(finder.find(150), 1u);
  EXPECT_EQ(finder.find(560), 4u);
  EXPECT_EQ(finder.find(640), 3u);
}

}  // namespace
}  // namespace npuprof::analyze
