#include "link/framework/autograd_pairs.h"

#include <vector>

#include <gmock/gmock.h>

#include "link/framework_trace.h"
#include "trace/linked/forward_backward.h"

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
  EXPECT_THAT(trace->forward_backward().sequence, ElementsAre(5, 6));
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(second, first));
  EXPECT_THAT(trace->forward_backward().backward, ElementsAre(of_second, of_first));
}

TEST(ForwardBackward, OfSeveralTheLastStartedCounts) {
  FrameworkTrace trace;
  const auto creator = trace.add_op(1, 12, 18, "aten::addmm", 3);
  trace.add_op(1, 10, 20, "aten::linear", 3);
  const auto function = trace.add_op(2, 52, 58, "AddmmBackward0", 3, 1);
  trace.add_op(2, 50, 60, "autograd::engine::evaluate_function: AddmmBackward0", 3, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(creator));
  EXPECT_THAT(trace->forward_backward().backward, ElementsAre(function));
}

TEST(ForwardBackward, AtEqualStartTheInnerOneCounts) {
  FrameworkTrace trace;
  const auto inner = trace.add_op(1, 10, 18, "aten::addmm", 3);
  trace.add_op(1, 10, 20, "aten::linear", 3);
  trace.add_op(2, 50, 60, "AddmmBackward0", 3, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(inner));
}

TEST(ForwardBackward, AForwardOperatorAfterTheBackwardOneIsAnotherThreads) {
  FrameworkTrace trace;
  const auto forward = trace.add_op(1, 10, 20, "aten::mm", 3);
  trace.add_op(2, 50, 60, "MmBackward0", 3, 1);
  trace.add_op(2, 70, 80, "aten::mm", 3);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(forward));
}

// Two threads train: each has sequence numbers of its own, and one thread runs both backward
// passes.
TEST(ForwardBackward, ThreadsHaveSequenceNumbersOfTheirOwn) {
  FrameworkTrace trace;
  const auto of_31 = trace.add_op(31, 10, 20, "aten::mm", 3);
  const auto of_32 = trace.add_op(32, 12, 22, "aten::mm", 3);
  const auto back_to_32 = trace.add_op(40, 50, 60, "MmBackward0", 3, 32);
  const auto back_to_31 = trace.add_op(40, 70, 80, "MmBackward0", 3, 31);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().sequence, ElementsAre(3, 3));
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(of_31, of_32));
  EXPECT_THAT(trace->forward_backward().backward, ElementsAre(back_to_31, back_to_32));
}

TEST(ForwardBackward, AnOrdinalIsOfTheThreadWithThoseSequenceNumbers) {
  FrameworkTrace trace;
  // This one does not train: it is always about to make its first node.
  trace.add_op(30, 1, 2, "aten::add", 0);
  trace.add_op(30, 3, 4, "aten::add", 0);
  std::vector<std::uint32_t> of_31;
  std::vector<std::uint32_t> of_32;
  for (std::int64_t i = 0; i < 4; ++i) {
    of_31.push_back(trace.add_op(31, 10 + 10 * i, 18 + 10 * i, "aten::mm", i));
    of_32.push_back(trace.add_op(32, 11 + 10 * i, 19 + 10 * i, "aten::mm", i + 2));
  }
  for (std::int64_t i = 0; i < 4; ++i) {
    trace.add_op(40, 100 + 10 * i, 108 + 10 * i, "MmBackward0", 3 - i, 1);
    trace.add_op(40, 200 + 10 * i, 208 + 10 * i, "MmBackward0", 5 - i, 2);
  }
  link_forward_backward(*trace);
  EXPECT_THAT(
      trace->forward_backward().forward,
      ElementsAre(of_31[0], of_31[1], of_32[0], of_31[2], of_32[1], of_31[3], of_32[2], of_32[3]));
}

// Threads that do the same: ordinals are given in the order in which threads come.
TEST(ForwardBackward, OfThreadsThatAreAlikeTheFirstHasTheFirstOrdinal) {
  FrameworkTrace trace;
  const auto first = trace.add_op(99, 10, 18, "aten::mm", 1);
  const auto second = trace.add_op(31, 11, 19, "aten::mm", 1);
  const auto back_to_second = trace.add_op(40, 100, 110, "MmBackward0", 1, 4);
  const auto back_to_first = trace.add_op(40, 120, 130, "MmBackward0", 1, 3);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(first, second));
  EXPECT_THAT(trace->forward_backward().backward, ElementsAre(back_to_first, back_to_second));
}

TEST(ForwardBackward, AThreadThatWasNotRecordedHasNoForwardSide) {
  FrameworkTrace trace;
  const auto known = trace.add_op(31, 10, 18, "aten::mm", 1);
  const auto back = trace.add_op(40, 100, 110, "MmBackward0", 1, 31);
  trace.add_op(40, 120, 130, "MmBackward0", 1, 2);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().forward, ElementsAre(known));
  EXPECT_THAT(trace->forward_backward().backward, ElementsAre(back));
}

TEST(ForwardBackward, ManyThreadsThatWereNotRecordedAreNotGuessed) {
  FrameworkTrace trace;
  trace.add_op(1'000'000, 10, 18, "aten::mm", 500);
  for (std::uint32_t i = 1; i <= 1000; ++i) trace.add_op(40, 100, 110, "MmBackward0", i, i);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().forward, IsEmpty());
}

TEST(ForwardBackward, OneSideAloneGivesNothing) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20, "aten::mm", 3);
  trace.add_op(2, 50, 60, "AddBackward0", 4, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().sequence, IsEmpty());
}

TEST(ForwardBackward, BothSidesMayBeOnOneThread) {
  FrameworkTrace trace;
  trace.add_op(1, 10, 20, "aten::mm", 3);
  trace.add_op(1, 50, 60, "MmBackward0", 3, 1);
  link_forward_backward(*trace);
  EXPECT_THAT(trace->forward_backward().sequence, ElementsAre(3));
}

}  // namespace
}  // namespace npuprof::link
