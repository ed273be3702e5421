#include "analyze/task_operators.h"

#include <gtest/gtest.h>

#include "analyze/host_steps.h"
#include "link/framework_trace.h"
#include "trace/linked/kernel_ops.h"

namespace npuprof::analyze {
namespace {

TEST(TaskOperators, OfSeveralTheInnermostCounts) {
  link::testing::FrameworkTrace trace;
  const std::uint32_t inner = trace.add_op(1, 10, 20);
  const std::uint32_t outer = trace.add_op(1, 0, 30);
  const std::uint32_t task = trace.add_task(1, 15, 100, 200);
  trace.add_task(1, 25, 200, 300);
  trace->kernel_ops().op = {inner, outer};
  trace->kernel_ops().task = {task, task};
  EXPECT_EQ(operators_of_tasks(*trace), (std::vector<std::uint32_t>{inner, trace::kNone}));
}

TEST(TaskOperators, AStackIsThatOfTheNearestOperatorThatHasOne) {
  link::testing::FrameworkTrace trace;
  const std::uint32_t outer = trace.add_op(1, 0, 30);
  const std::uint32_t inner = trace.add_op(1, 10, 20);
  trace->framework_ops().parent[inner] = outer;
  EXPECT_EQ(stack_around(*trace, inner), kEmptyString);
  trace->framework_ops().stack[outer] = trace->strings.intern("a.py(1): f");
  EXPECT_EQ(trace->strings.view(stack_around(*trace, inner)), "a.py(1): f");
  EXPECT_EQ(stack_around(*trace, trace::kNone), kEmptyString);
}

TEST(HostSteps, ATimeLiesInTheStepThatHasBegunAndNotEnded) {
  trace::Steps steps;
  resize_rows(steps, 2);
  steps.host_start_ns = {100, 10};
  steps.host_end_ns = {200, 50};
  const HostSteps finder(steps);
  EXPECT_EQ(finder.find(9), trace::kNone);
  EXPECT_EQ(finder.find(10), 1u);
  EXPECT_EQ(finder.find(50), trace::kNone);
  EXPECT_EQ(finder.find(199), 0u);
  EXPECT_EQ(finder.find(200), trace::kNone);
}

}  // namespace
}  // namespace npuprof::analyze
