#include "link/framework/task_origins.h"

#include <gmock/gmock.h>

#include "link/framework/op_tree.h"
#include "link/framework/queue.h"
#include "link/framework_trace.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::IsEmpty;
using trace::kNone;

std::vector<TaskOrigin> link_kernels(FrameworkTrace& trace) {
  const auto rows = ops_by_thread(trace->framework_ops());
  link_queue(*trace);
  link_op_tree(*trace, rows);
  link_queue_ops(*trace, rows);
  auto origins = find_task_origins(*trace, rows);
  link_kernel_ops(*trace, origins);
  return origins;
}

TEST(KernelOps, GoThroughTheQueue) {
  FrameworkTrace trace;
  const auto inner = trace.add_op(1, 20, 40);
  trace.add_op(1, 10, 60);
  trace.add_enqueue(4, 1, 25, 30);
  trace.add_dequeue(4, 9, 100, 200);
  const auto first = trace.add_task(9, 100, 300, 310);  // At the very begin of the dequeue.
  const auto second = trace.add_task(9, 200, 320, 330);
  trace.add_task(9, 201, 340, 350);  // After it.
  const auto origins = link_kernels(trace);
  EXPECT_THAT(trace->kernel_ops().op, ElementsAre(inner, inner));
  EXPECT_THAT(trace->kernel_ops().task, ElementsAre(first, second));
  EXPECT_EQ(origins[0].asked_ns, 25);
  EXPECT_EQ(origins[2].asked_ns, 201);
  EXPECT_EQ(origins[2].op, kNone);
}

TEST(KernelOps, SeveralDequeueThreadsAtOnce) {
  FrameworkTrace trace;
  const auto first_op = trace.add_op(1, 10, 20);
  const auto second_op = trace.add_op(2, 10, 20);
  trace.add_enqueue(1, 1, 12, 15);
  trace.add_enqueue(2, 2, 12, 15);
  trace.add_dequeue(1, 8, 30, 90);
  trace.add_dequeue(2, 9, 20, 95);
  const auto of_second = trace.add_task(9, 40, 100, 110);
  const auto of_first = trace.add_task(8, 41, 120, 130);
  link_kernels(trace);
  EXPECT_THAT(trace->kernel_ops().op, ElementsAre(first_op, second_op));
  EXPECT_THAT(trace->kernel_ops().task, ElementsAre(of_first, of_second));
}

TEST(KernelOps, ADirectLaunchBelongsToTheOperatorOfItsThread) {
  FrameworkTrace trace;
  const auto op = trace.add_op(1, 10, 20);
  trace.add_op(2, 0, 100);
  trace.add_enqueue(1, 1, 12, 13);
  trace.add_dequeue(1, 9, 30, 40);
  const auto task = trace.add_task(1, 15, 50, 60);
  link_kernels(trace);
  EXPECT_THAT(trace->kernel_ops().op, ElementsAre(op));
  EXPECT_THAT(trace->kernel_ops().task, ElementsAre(task));
}

TEST(KernelOps, WithoutQueueAThreadWithoutOperatorsIsMatchedByTime) {
  FrameworkTrace trace;
  const auto inner = trace.add_op(1, 10, 20);
  trace.add_op(2, 0, 100);
  trace.add_task(7, 15, 50, 60);
  link_kernels(trace);
  EXPECT_THAT(trace->kernel_ops().op, ElementsAre(inner));
}

TEST(KernelOps, WithQueueAThreadWithoutOperatorsHasNone) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20);
  trace.add_enqueue(1, 1, 12, 13);
  trace.add_dequeue(1, 9, 30, 40);
  trace.add_task(7, 15, 50, 60);
  trace.add_task(9, 15, 50, 60);
  link_kernels(trace);
  EXPECT_THAT(trace->kernel_ops().op, IsEmpty());
}

TEST(KernelOps, ADequeueWhoseEnqueueIsLostHasNoOperator) {
  FrameworkTrace trace;
  trace.add_op(9, 0, 100);
  trace.add_dequeue(1, 9, 30, 40);
  trace.add_task(9, 35, 50, 60);
  const auto origins = link_kernels(trace);
  EXPECT_EQ(origins[0].op, kNone);
  EXPECT_EQ(origins[0].asked_ns, 35);
}

TEST(KernelOps, ATaskWithoutLaunchTimeUsesItsApiCall) {
  FrameworkTrace trace;
  const auto op = trace.add_op(1, 10, 20);
  resize_rows(trace->api_calls(), 1);
  trace->api_calls().start_ns[0] = 12;
  trace->api_calls().tid[0] = 1;
  trace->tasks().api[trace.add_task(0, 0, 50, 60)] = 0;
  trace.add_task(1, 0, 70, 80);  // Nothing known.
  const auto origins = link_kernels(trace);
  EXPECT_EQ(origins[0].op, op);
  EXPECT_EQ(origins[1].op, kNone);
  EXPECT_EQ(origins[1].asked_ns, TaskOrigin::kUnknownTime);
}

TEST(KernelOps, AreSortedByOperatorThenTask) {
  FrameworkTrace trace;
  const auto early = trace.add_op(1, 10, 20);
  const auto late = trace.add_op(1, 30, 40);
  trace.add_task(1, 35, 100, 110);
  trace.add_task(1, 12, 120, 130);
  trace.add_task(1, 36, 140, 150);
  trace.add_task(1, 13, 160, 170);
  link_kernels(trace);
  EXPECT_THAT(trace->kernel_ops().op, ElementsAre(early, early, late, late));
  EXPECT_THAT(trace->kernel_ops().task, ElementsAre(1, 3, 0, 2));
}

}  // namespace
}  // namespace npuprof::link
