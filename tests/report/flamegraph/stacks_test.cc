#include "report/flamegraph/stacks.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

TEST(StacksTest, ALineForEachOperatorWithAStack) {
  link::testing::FrameworkTrace trace;
  const auto add = [&](std::int64_t start_us, std::int64_t end_us, std::string_view stack) {
    const std::uint32_t row = trace.add_op(1, start_us * 1000, end_us * 1000 + 999, "aten::op");
    trace->framework_ops().stack[row] = trace->strings.intern(stack);
  };
  add(20, 21, "inner.py(3): g;two\nlines; main.py(1): <module>");  // Written when it ends.
  add(10, 40, "outer.py(2): f;main.py(1): <module>");
  add(50, 50, "less than a microsecond");
  add(60, 70, "");
  add(80, 90, "alone");
  link::link_op_tree(*trace, link::ops_by_thread(trace->framework_ops()));
  trace.add_task(1, 0, 1'000'000, 1'007'500);
  trace->tasks().context = {trace::kNone};
  trace->tasks().kernel = {trace::kNone};
  trace->kernel_ops().op = {0};
  trace->kernel_ops().task = {0};
  EXPECT_EQ(operators_with_stack(*trace), 4u);

  const testing::TemporaryDirectory directory;
  ASSERT_TRUE(
      write_stacks(*trace, StackMetric::kSelfCpuTime, directory / "cpu", shared_thread_pool())
          .ok());
  EXPECT_EQ(read_file(directory / "cpu").value(),
            "main.py(1): <module>;outer.py(2): f 29\n"
            "main.py(1): <module>;two lines;inner.py(3): g 1\n"
            "alone 10");
  ASSERT_TRUE(
      write_stacks(*trace, StackMetric::kSelfNpuTime, directory / "npu", shared_thread_pool())
          .ok());
  EXPECT_EQ(read_file(directory / "npu").value(),
            "main.py(1): <module>;two lines;inner.py(3): g 7");
}

}  // namespace
}  // namespace npuprof::report
