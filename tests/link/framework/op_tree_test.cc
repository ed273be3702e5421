#include "link/framework/op_tree.h"

#include <gmock/gmock.h>

#include "link/framework/queue.h"
#include "link/framework_trace.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using trace::kNone;

void link_tree(FrameworkTrace& trace) {
  link_op_tree(*trace, ops_by_thread(trace->framework_ops()));
}

TEST(OpTree, NestsOperatorsOfAThread) {
  FrameworkTrace trace;  // In order of end, as recorded.
  const auto first_leaf = trace.add_op(1, 10, 20);
  const auto second_leaf = trace.add_op(1, 20, 30);  // Begins at the tick where the first ends.
  const auto outer = trace.add_op(1, 5, 40);
  const auto next = trace.add_op(1, 41, 50);
  link_tree(trace);
  const auto& parent = trace->framework_ops().parent;
  EXPECT_EQ(parent[first_leaf], outer);
  EXPECT_EQ(parent[second_leaf], outer);
  EXPECT_EQ(parent[outer], kNone);
  EXPECT_EQ(parent[next], kNone);
}

TEST(OpTree, ParallelThreadsDoNotNestIntoEachOther) {
  FrameworkTrace trace;
  const auto backward_inner = trace.add_op(2, 20, 30);
  const auto backward = trace.add_op(2, 15, 60);
  const auto forward_inner = trace.add_op(1, 25, 28);
  const auto step = trace.add_op(1, 0, 100, "ProfilerStep#1");
  link_tree(trace);
  const auto& parent = trace->framework_ops().parent;
  EXPECT_EQ(parent[backward_inner], backward);
  EXPECT_EQ(parent[backward], kNone);
  EXPECT_EQ(parent[forward_inner], step);
}

TEST(OpTree, OfEqualRangesTheLaterRecordedIsOuter) {
  FrameworkTrace trace;
  const auto inner = trace.add_op(1, 10, 20);
  const auto outer = trace.add_op(1, 10, 20);
  link_tree(trace);
  EXPECT_EQ(trace->framework_ops().parent[inner], outer);
  EXPECT_EQ(trace->framework_ops().parent[outer], kNone);
}

TEST(OpTree, OverlappingOperatorsAreSiblings) {
  FrameworkTrace trace;
  const auto asynchronous = trace.add_op(1, 10, 50);
  const auto inside_second = trace.add_op(1, 45, 48);
  const auto second = trace.add_op(1, 40, 70);
  const auto outer = trace.add_op(1, 0, 100);
  link_tree(trace);
  const auto& parent = trace->framework_ops().parent;
  EXPECT_EQ(parent[asynchronous], outer);
  EXPECT_EQ(parent[second], outer);
  EXPECT_EQ(parent[inside_second], second);
}

TEST(OpTree, AnOperatorThatEndsBeforeItStartsLastsNoTime) {
  FrameworkTrace trace;
  const auto damaged = trace.add_op(1, 30, 0);
  const auto outer = trace.add_op(1, 10, 50);
  link_tree(trace);
  EXPECT_EQ(trace->framework_ops().parent[damaged], outer);
  EXPECT_THAT(host_self_ns(trace->framework_ops()), ElementsAre(0, 40));
}

TEST(OpFinder, FindsTheInnermostOperatorOfTheThread) {
  FrameworkTrace trace;
  const auto leaf = trace.add_op(1, 10, 20);
  const auto outer = trace.add_op(1, 5, 40);
  const auto other = trace.add_op(2, 18, 90);
  link_tree(trace);
  const auto rows = ops_by_thread(trace->framework_ops());
  OpFinder finder(trace->framework_ops(), rows);
  EXPECT_EQ(finder.innermost(1, 15, 15), leaf);
  EXPECT_EQ(finder.innermost(1, 15, 25), outer);
  EXPECT_EQ(finder.innermost(1, 30, 30), outer);
  EXPECT_EQ(finder.innermost(1, 4, 4), kNone);
  EXPECT_EQ(finder.innermost(1, 41, 41), kNone);
  EXPECT_EQ(finder.innermost(3, 15, 15), kNone);
  EXPECT_EQ(finder.innermost_of_all(15), leaf);
  EXPECT_EQ(finder.innermost_of_all(19), other);
  EXPECT_EQ(finder.innermost_of_all(100), kNone);
  EXPECT_TRUE(finder.has_thread(2));
  EXPECT_FALSE(finder.has_thread(3));
}

TEST(QueueOps, AnEnqueueBelongsToTheInnermostOperatorAroundIt) {
  FrameworkTrace trace;
  const auto scope = trace.add_op(1, 20, 40, "aclnnMm");
  const auto op = trace.add_op(1, 10, 60, "aten::mm");
  trace.add_op(2, 0, 100);
  trace.add_enqueue(1, 1, 25, 30);
  trace.add_enqueue(2, 1, 38, 45);  // Ends outside the inner scope.
  trace.add_enqueue(3, 1, 70, 75);
  trace.add_dequeue(1, 3, 50, 55);
  link_queue(*trace);
  const auto rows = ops_by_thread(trace->framework_ops());
  link_op_tree(*trace, rows);
  link_queue_ops(*trace, rows);
  EXPECT_THAT(trace->enqueues().op, ElementsAre(scope, op, kNone));
  EXPECT_THAT(trace->dequeues().op, ElementsAre(scope));
}

TEST(HostSelfTime, LeavesOutDirectChildrenOnly) {
  FrameworkTrace trace;
  trace.add_op(1, 20, 25);
  trace.add_op(1, 20, 30);
  trace.add_op(1, 40, 45);
  trace.add_op(1, 0, 100);
  link_tree(trace);
  EXPECT_THAT(host_self_ns(trace->framework_ops()), ElementsAre(5, 5, 5, 85));
}

TEST(SumOverSubtrees, GivesEachOperatorWhatIsBelowIt) {
  FrameworkTrace trace;
  trace.add_op(1, 0, 100);  // The root comes first here: file order must not matter.
  trace.add_op(1, 20, 25);
  trace.add_op(1, 40, 45);
  trace.add_op(1, 20, 30);
  trace.add_op(2, 0, 10);
  link_tree(trace);
  std::vector<std::int64_t> values = {1, 2, 4, 8, 16};
  sum_over_subtrees(trace->framework_ops(), values);
  EXPECT_THAT(values, ElementsAre(15, 2, 4, 10, 16));
}

}  // namespace
}  // namespace npuprof::link
