#include "analyze/operator_times.h"

#include <gtest/gtest.h>

namespace npuprof::analyze {
namespace {

TEST(OperatorTimesTest, ATaskAndItsContextsCountOnce) {
  trace::Trace trace;
  trace::resize_rows(trace.framework_ops, 1);
  trace.framework_ops.end_ns = {100};
  trace.framework_ops.parent = {trace::kNone};
  trace::resize_rows(trace.tasks, 3);
  trace.tasks.start_ns = {10, 11, 50};
  trace.tasks.end_ns = {40, 39, 55};
  trace.tasks.task = {1, 1, 2};
  trace.tasks.context = {trace::kNone, 0, trace::kNone};
  trace.tasks.kernel = {trace::kNone, trace::kNone, trace::kNone};
  trace.kernel_ops.op = {0, 0, 0};
  trace.kernel_ops.task = {0, 1, 2};
  const OperatorTimes times = operator_times(trace);
  EXPECT_EQ(times.device_self_ns[0], 28 + 5);
  EXPECT_EQ(times.device_total_ns[0], 28 + 5);
  EXPECT_EQ(times.host_self_ns[0], 100);
}

}  // namespace
}  // namespace npuprof::analyze
