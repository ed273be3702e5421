#include "format/device/training_trace.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

TEST(TrainingTrace, RoundTripsRandomValues) {
  testing::expect_round_trip<TrainingTrace>();
  EXPECT_EQ(testing::offset_of<TrainingTrace>("stream"), 10u);
  EXPECT_EQ(testing::offset_of<TrainingTrace>("syscnt"), 12u);
}

TEST(TrainingTrace, TellsJobsAndCollectives) {
  EXPECT_TRUE(TrainingTrace{.tag = 0}.is_job());
  EXPECT_TRUE(TrainingTrace{.tag = 10010}.is_job());
  EXPECT_FALSE(TrainingTrace{.tag = 255}.is_job());
  EXPECT_FALSE(TrainingTrace{.tag = 2}.is_collective());
  EXPECT_TRUE(TrainingTrace{.tag = 3}.is_collective());
  EXPECT_FALSE(TrainingTrace{.tag = 255}.is_collective());
}

}  // namespace
}  // namespace npuprof::format::device
