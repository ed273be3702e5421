#include "link/framework/framework_steps.h"

#include <gmock/gmock.h>

#include "link/framework/op_tree.h"
#include "link/framework/queue.h"
#include "link/framework_trace.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::IsEmpty;

void link_all_steps(FrameworkTrace& trace) {
  const auto rows = ops_by_thread(trace->framework_ops());
  link_queue(*trace);
  link_op_tree(*trace, rows);
  link_queue_ops(*trace, rows);
  link_steps(*trace, find_task_origins(*trace, rows));
}

TEST(Steps, CoverTheTasksThatWereAskedForInThem) {
  FrameworkTrace trace;
  trace.add_op(1, 0, 100, "ProfilerStep#7");
  trace.add_op(1, 101, 200, "ProfilerStep#8");
  trace.add_enqueue(1, 1, 10, 12);
  trace.add_enqueue(2, 2, 90, 95);  // By the backward thread, still in the first step,
  trace.add_dequeue(1, 9, 20, 30);
  trace.add_dequeue(2, 9, 110, 120);  // but launched during the second.
  trace.add_task(9, 25, 40, 50);
  trace.add_task(9, 115, 150, 180);
  trace.add_task(1, 130, 160, 170);  // Launched without the queue.
  link_all_steps(trace);
  EXPECT_THAT(trace->steps().id, ElementsAre(7, 8));
  EXPECT_THAT(trace->steps().op, ElementsAre(0, 1));
  EXPECT_THAT(trace->steps().host_start_ns, ElementsAre(0, 101));
  EXPECT_THAT(trace->steps().host_end_ns, ElementsAre(100, 200));
  EXPECT_THAT(trace->steps().device_start_ns, ElementsAre(40, 160));
  EXPECT_THAT(trace->steps().device_end_ns, ElementsAre(180, 200));
  EXPECT_THAT(trace->steps().has_kernels, ElementsAre(1, 1));
}

TEST(Steps, WithoutTasksLastAsLongAsTheHostsStep) {
  FrameworkTrace trace;
  trace.add_op(1, 50, 100, "ProfilerStep#1");
  trace.add_task(1, 120, 130, 140);  // After the step.
  trace.add_task(1, 0, 60, 70);      // Launched nobody knows when.
  link_all_steps(trace);
  EXPECT_THAT(trace->steps().device_start_ns, ElementsAre(50));
  EXPECT_THAT(trace->steps().device_end_ns, ElementsAre(100));
  EXPECT_THAT(trace->steps().has_kernels, ElementsAre(0));
}

// From databases it is not known when a mark was put on its stream.
TEST(Steps, MarksDoNotWidenThem) {
  FrameworkTrace trace;
  trace.add_op(1, 0, 100, "ProfilerStep#1");
  for (const std::uint16_t profiler_type : {26, 64, 65}) {
    trace->tasks().host_type[trace.add_task(1, 10, 20, 21)] = profiler_type;
  }
  trace.add_task(1, 30, 40, 110);
  trace->tasks().host_type[trace.add_task(1, 95, 120, 121)] = 26;
  link_all_steps(trace);
  EXPECT_THAT(trace->steps().device_start_ns, ElementsAre(40));
  EXPECT_THAT(trace->steps().device_end_ns, ElementsAre(110));
}

TEST(Steps, AreInOrderOfTime) {
  FrameworkTrace trace;
  trace.add_op(1, 50, 100, "ProfilerStep#3");
  trace.add_op(1, 10, 40, "ProfilerStep#2");
  link_all_steps(trace);
  EXPECT_THAT(trace->steps().id, ElementsAre(2, 3));
}

TEST(Steps, HaveANumberAndAreNoPartOfAnotherStep) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20, "ProfilerStep#");
  trace.add_op(1, 20, 30, "ProfilerStep#x");
  trace.add_op(1, 30, 40, "ProfilerStep");
  trace.add_op(1, 45, 48, "ProfilerStep#5");
  trace.add_op(1, 42, 49, "train");
  trace.add_op(1, 41, 50, "run ProfilerStep#4");
  trace.add_op(1, 0, 99, "epoch");
  link_all_steps(trace);
  EXPECT_THAT(trace->steps().id, ElementsAre(4));
}

TEST(Steps, WithoutStepMarkThereAreNone) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20);
  trace.add_task(1, 15, 30, 40);
  link_all_steps(trace);
  EXPECT_THAT(trace->steps().id, IsEmpty());
}

}  // namespace
}  // namespace npuprof::link
