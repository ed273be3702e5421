#include "link/device/replays.h"

#include <gmock/gmock.h>

#include "link/framework/framework_steps.h"
#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "link/link.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::IsEmpty;
using trace::kNone;

constexpr std::uint16_t kModelExecute = 13;

// Tasks of models, in order of their start.
class ReplayTrace : public FrameworkTrace {
 public:
  std::uint32_t add_run(std::uint32_t model, std::int64_t launch_ns, std::int64_t start_ns,
                        std::uint32_t tid = 1) {
    const std::uint32_t row = add_task(tid, launch_ns, start_ns, start_ns + 5);
    (*this)->tasks().model_id[row] = model;
    (*this)->tasks().kernel[row] = kNone;
    return row;
  }
  std::uint32_t add_execution(std::uint32_t model, std::int64_t launch_ns, std::int64_t start_ns,
                              std::uint32_t tid = 1) {
    const std::uint32_t row = add_run(model, launch_ns, start_ns, tid);
    (*this)->tasks().host_type[row] = kModelExecute;
    return row;
  }
  // As results have it: the time of a launch is that of its call.
  void by_call(std::uint32_t row) {
    trace::ApiCalls& calls = (*this)->api_calls();
    resize_rows(calls, calls.size() + 1);
    calls.start_ns.back() = (*this)->tasks().launch_ns[row];
    calls.tid.back() = (*this)->tasks().tid[row];
    (*this)->tasks().launch_ns[row] = 0;
    (*this)->tasks().api[row] = static_cast<std::uint32_t>(calls.size() - 1);
  }
};

TEST(Replays, BelongToTheExecutionOfTheirModel) {
  ReplayTrace trace;
  trace.add_execution(1, 100, 110);
  trace.add_execution(2, 120, 130, 9);
  trace.add_run(1, 10, 140);
  trace.add_run(2, 20, 150);
  trace.add_execution(1, 200, 210);
  trace.add_run(1, 10, 220);
  trace.add_run(2, 20, 230);
  EXPECT_THAT(link_replays(*trace), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(trace->tasks().launch_ns, ElementsAre(100, 120, 100, 120, 200, 200, 120));
  EXPECT_THAT(trace->tasks().tid, ElementsAre(1, 9, 1, 9, 1, 1, 9));
}

TEST(Replays, AreToldByTheCallsOfResults) {
  ReplayTrace trace;
  trace.by_call(trace.add_execution(1, 100, 110, 7));
  trace.by_call(trace.add_run(1, 10, 120));
  EXPECT_THAT(link_replays(*trace), ElementsAre(1));
  EXPECT_THAT(trace->tasks().api, ElementsAre(0, 0));
  EXPECT_THAT(trace->tasks().launch_ns, ElementsAre(0, 0));
  EXPECT_THAT(trace->tasks().tid, ElementsAre(7, 7));
}

TEST(Replays, WhatIsLaunchedDuringAnExecutionKeepsItsLaunch) {
  ReplayTrace trace;
  trace.add_execution(1, 100, 110);
  trace.add_run(1, 105, 120);
  trace.add_run(kNone, 50, 130);  // Of no model.
  EXPECT_THAT(link_replays(*trace), IsEmpty());
  EXPECT_THAT(trace->tasks().launch_ns, ElementsAre(100, 105, 50));
}

TEST(Replays, ExecutionsOfAnUnknownModelCountWhereThereAreNoOthers) {
  ReplayTrace trace;
  trace.add_execution(1, 100, 110);
  trace.add_execution(kNone, 120, 130);
  trace.add_run(1, 10, 140);
  trace.add_run(2, 20, 150);
  link_replays(*trace);
  EXPECT_THAT(trace->tasks().launch_ns, ElementsAre(100, 120, 100, 120));
}

TEST(Replays, DevicesAreApart) {
  ReplayTrace trace;
  trace.add_execution(1, 100, 110);
  trace.add_run(1, 10, 120);
  trace->tasks().device[1] = 1;
  EXPECT_THAT(link_replays(*trace), IsEmpty());
}

TEST(Replays, CollectivesFollowTheirTasks) {
  ReplayTrace trace;
  trace.by_call(trace.add_execution(1, 100, 110, 7));
  trace.by_call(trace.add_run(1, 10, 120));
  resize_rows(trace->collective_ops(), 1);
  trace->collective_ops().api[0] = 1;
  resize_rows(trace->collective_tasks(), 1);
  trace->collective_tasks().op[0] = 0;
  trace->collective_tasks().task[0] = 1;
  link_replays(*trace);
  EXPECT_EQ(trace->collective_ops().api[0], 0u);
  EXPECT_EQ(trace->collective_ops().tid[0], 7u);
}

// A graph that is loaded in the first step and runs in all three.
TEST(Replays, CountToTheStepThatExecutedThem) {
  ReplayTrace trace;
  trace.add_op(1, 0, 100, "ProfilerStep#1");
  trace.add_op(1, 101, 200, "ProfilerStep#2");
  trace.add_op(1, 201, 300, "ProfilerStep#3");
  for (const std::int64_t step : {0, 100, 200}) {
    trace.add_execution(1, step + 50, step + 60);
    trace.add_run(1, 10, step + 130);
  }
  link_replays(*trace);
  const auto rows = ops_by_thread(trace->framework_ops());
  link_op_tree(*trace, rows);
  link_steps(*trace, find_task_origins(*trace, rows));
  EXPECT_THAT(trace->steps().device_start_ns, ElementsAre(60, 160, 260));
  EXPECT_THAT(trace->steps().device_end_ns, ElementsAre(135, 235, 335));
}

// A database that has the call of the load for all runs, and so its operator.
TEST(Replays, TakeTheOperatorOfTheirExecutionFromResults) {
  ReplayTrace trace;
  const std::uint32_t load = trace.add_op(1, 0, 40, "Load");
  const std::uint32_t execute = trace.add_op(1, 90, 120, "Execute");
  trace.by_call(trace.add_execution(1, 100, 110));
  trace.by_call(trace.add_run(1, 10, 120));
  trace->kernel_ops().op = {load, execute};
  trace->kernel_ops().task = {1, 0};
  trace->session.origin = trace::Origin::kResults;
  link_all(*trace, nullptr);
  EXPECT_THAT(trace->kernel_ops().op, ElementsAre(execute, execute));
  EXPECT_THAT(trace->kernel_ops().task, ElementsAre(0, 1));
}

}  // namespace
}  // namespace npuprof::link
