#include "link/forward_backward.h"

#include <gmock/gmock.h>

#include "link/framework_trace.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::IsEmpty;

TEST(ForwardBackward, JoinsBySequenceNumber) {
  FrameworkTrace trace;
  const auto first = trace.add_op(1, 10, 20, "aten::mm", 6);
  const auto second = trace.add_op(1, 30, 40, "aten::add", 5);
  trace.add_op(1, 50, 60, "aten::relu");
  const auto of_second = trace.add_op(2, 70, 80, "AddBackward0", 5, 1);
  const auto of_first = trace.add_op(2, 90, 99, "MmBackward0", 6, 1);
  trace.add_op(2, 100, 110, "aten::mul", -1, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward.sequence, ElementsAre(5, 6));
  EXPECT_THAT(trace->forward_backward.forward, ElementsAre(second, first));
  EXPECT_THAT(trace->forward_backward.backward, ElementsAre(of_second, of_first));
}

TEST(ForwardBackward, OfSeveralTheLastStartedCounts) {
  FrameworkTrace trace;
  const auto creator = trace.add_op(1, 12, 18, "aten::addmm", 3);
  trace.add_op(1, 10, 20, "aten::linear", 3);
  const auto function = trace.add_op(2, 52, 58, "AddmmBackward0", 3, 1);
  trace.add_op(2, 50, 60, "autograd::engine::evaluate_function: AddmmBackward0", 3, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward.forward, ElementsAre(creator));
  EXPECT_THAT(trace->forward_backward.backward, ElementsAre(function));
}

TEST(ForwardBackward, AtEqualStartTheInnerOneCounts) {
  FrameworkTrace trace;
  const auto inner = trace.add_op(1, 10, 18, "aten::addmm", 3);
  trace.add_op(1, 10, 20, "aten::linear", 3);
  trace.add_op(2, 50, 60, "AddmmBackward0", 3, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward.forward, ElementsAre(inner));
}

TEST(ForwardBackward, AForwardOperatorAfterTheBackwardOneIsAnotherThreads) {
  FrameworkTrace trace;
  const auto forward = trace.add_op(1, 10, 20, "aten::mm", 3);
  trace.add_op(2, 50, 60, "MmBackward0", 3, 1);
  trace.add_op(2, 70, 80, "aten::mm", 3);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward.forward, ElementsAre(forward));
}

TEST(ForwardBackward, OneSideAloneGivesNothing) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20, "aten::mm", 3);
  trace.add_op(2, 50, 60, "AddBackward0", 4, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward.sequence, IsEmpty());
}

TEST(ForwardBackward, BothSidesMayBeOnOneThread) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20, "aten::mm", 3);
  trace.add_op(1, 50, 60, "MmBackward0", 3, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward.sequence, ElementsAre(3));
}

}  // namespace
}  // namespace npuprof::link
