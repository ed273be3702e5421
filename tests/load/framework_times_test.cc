#include "load/framework_times.h"

#include <gtest/gtest.h>

#include "load/collection_clock.h"
#include "trace/device/device_tasks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_marks.h"
#include "trace/host/api_calls.h"

namespace npuprof::load {
namespace {

class FrameworkTimes : public ::testing::Test {
 protected:
  FrameworkTimes() {
    resize_rows(trace_.framework_ops(), 3);
    resize_rows(trace_.queue_marks(), 1);
    resize_rows(trace_.api_calls(), 3);
    for (int i = 0; i < 3; ++i) {
      trace_.framework_ops().start_ns[i] = 100 + i * 10;
      trace_.framework_ops().end_ns[i] = 105 + i * 10;
      trace_.api_calls().start_ns[i] = 1000 + i * 10;
    }
    trace_.queue_marks().time_ns[0] = 120;
  }

  trace::Trace trace_;
  trace::Losses losses_;
};

TEST_F(FrameworkTimes, StayWhereTheyFit) {
  move_framework_to_cann({}, trace_, losses_);
  EXPECT_EQ(trace_.framework_ops().start_ns[1], 110);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(FrameworkTimes, AreMovedIfTheyLieDaysAway) {
  for (std::int64_t& start_ns : trace_.api_calls().start_ns) start_ns += 8 * kFarNs;
  trace_.api_calls().start_ns[0] = 0;  // One damaged stamp.
  move_framework_to_cann({}, trace_, losses_);
  EXPECT_EQ(trace_.framework_ops().start_ns[1], 8 * kFarNs + 1010);
  EXPECT_EQ(trace_.framework_ops().end_ns[2] - trace_.framework_ops().start_ns[1], 15);
  EXPECT_EQ(trace_.queue_marks().time_ns[0], 8 * kFarNs + 1020);
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].records, 3u);
}

TEST_F(FrameworkTimes, AreComparedWithTheDeviceIfTheHostHasNone) {
  trace_.api_calls() = {};
  resize_rows(trace_.device_tasks(), 1);
  trace_.device_tasks().start_ns[0] = -3 * kFarNs;
  move_framework_to_cann({}, trace_, losses_);
  EXPECT_EQ(trace_.framework_ops().start_ns[1], -3 * kFarNs);
}

}  // namespace
}  // namespace npuprof::load
