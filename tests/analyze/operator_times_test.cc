#include "analyze/operator_times.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/interval_sweep.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;

TEST(OperatorTimesTest, ATaskAndItsContextsCountOnce) {
  trace::Trace trace;
  trace::resize_rows(trace.framework_ops(), 1);
  trace.framework_ops().end_ns = {100};
  trace.framework_ops().parent = {trace::kNone};
  trace::resize_rows(trace.tasks(), 3);
  trace.tasks().start_ns = {10, 11, 50};
  trace.tasks().end_ns = {40, 39, 55};
  trace.tasks().task = {1, 1, 2};
  trace.tasks().context = {trace::kNone, 0, trace::kNone};
  trace.tasks().kernel = {trace::kNone, trace::kNone, trace::kNone};
  trace.kernel_ops().op = {0, 0, 0};
  trace.kernel_ops().task = {0, 1, 2};
  const OperatorTimes times = operator_times(trace);
  EXPECT_EQ(times.device_self_ns[0], 28 + 5);
  EXPECT_EQ(times.device_total_ns[0], 28 + 5);
  EXPECT_EQ(times.host_self_ns[0], 100);
}

// Operators with device tasks, each given by operator, start and end.
struct Work {
  std::uint32_t op;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

trace::Trace trace_of(const std::vector<std::uint32_t>& parents, const std::vector<Work>& work) {
  trace::Trace trace;
  trace::resize_rows(trace.framework_ops(), parents.size());
  trace.framework_ops().parent.assign(parents.begin(), parents.end());
  trace::resize_rows(trace.tasks(), work.size());
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    trace.tasks().start_ns[i] = work[i].start_ns;
    trace.tasks().end_ns[i] = work[i].end_ns;
    trace.tasks().task[i] = i;
    trace.tasks().context[i] = trace::kNone;
    trace.tasks().kernel[i] = trace::kNone;
    trace.kernel_ops().op.push_back(work[i].op);
    trace.kernel_ops().task.push_back(i);
  }
  return trace;
}

TEST(OperatorTimesTest, ACollectiveLastsAsLongAsItTook) {
  trace::Trace trace = trace_of({trace::kNone}, {{0, 0, 4}, {0, 2, 9}, {0, 20, 25}});
  trace::resize_rows(trace.collective_ops(), 1);
  trace.collective_ops().end_ns = {10};
  trace::resize_rows(trace.collective_tasks(), 2);
  trace.collective_tasks().op = {0, 0};
  trace.collective_tasks().task = {0, 1};
  const OperatorTimes times = operator_times(trace);
  EXPECT_THAT(times.device_self_ns, ElementsAre(10 + 5));
  EXPECT_THAT(times.device_total_ns, ElementsAre(10 + 5));
}

TEST(OperatorTimesTest, WhatRunsSideBySideCountsOnce) {
  // 2 contains 1 and 4, 1 contains 0 and 3.
  const trace::Trace trace =
      trace_of({1, 2, trace::kNone, 1, 2, trace::kNone},
               {{0, 0, 10}, {0, 5, 15}, {1, 40, 50}, {3, 10, 20}, {4, 100, 110}, {4, 45, 60}});
  const OperatorTimes times = operator_times(trace);
  EXPECT_THAT(times.device_self_ns, ElementsAre(15, 10, 0, 10, 25, 0));
  EXPECT_THAT(times.device_total_ns, ElementsAre(15, 20 + 10, 20 + 20 + 10, 10, 25, 0));
}

// Many small trees against a plain computation.
TEST(OperatorTimesTest, TotalsAreUnionsOverSubtrees) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const std::uint32_t count = 1 + random() % 20;
    std::vector<std::uint32_t> parents(count, trace::kNone);
    for (std::uint32_t op = 1; op < count; ++op) {
      if (random() % 4 != 0) parents[op] = random() % op;
    }
    std::vector<Work> work;
    for (std::uint32_t op = 0; op < count; ++op) {
      for (std::uint32_t i = random() % 3; i > 0; --i) {
        const std::int64_t start_ns = random() % 200;
        work.push_back({op, start_ns, start_ns + static_cast<std::int64_t>(random() % 30)});
      }
    }
    const OperatorTimes times = operator_times(trace_of(parents, work));
    for (std::uint32_t op = 0; op < count; ++op) {
      std::vector<Interval> self;
      std::vector<Interval> total;
      for (const Work& item : work) {
        std::uint32_t above = item.op;
        if (above == op) self.push_back({item.start_ns, item.end_ns});
        while (above != trace::kNone && above != op) above = parents[above];
        if (above == op) total.push_back({item.start_ns, item.end_ns});
      }
      ASSERT_EQ(times.device_self_ns[op], total_length(merge_intervals(self)));
      ASSERT_EQ(times.device_total_ns[op], total_length(merge_intervals(total)));
    }
  }
}

}  // namespace
}  // namespace npuprof::analyze
