#include "analyze/python_frames.h"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/python_calls.h"
#include "trace/linked/kernel_ops.h"

namespace npuprof::analyze {
namespace {

class PythonFramesTest : public ::testing::Test {
 protected:
  // Calls are recorded when they end: inner ones first.
  void call(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
            std::uint32_t tid = 1) {
    auto& calls = trace_->python_calls();
    resize_rows(calls, calls.size() + 1);
    calls.start_ns.back() = start_ns;
    calls.end_ns.back() = end_ns;
    calls.tid.back() = tid;
    calls.name.back() = trace_->strings.intern(name);
  }
  // An operator that launches a kernel of this length.
  std::uint32_t op(std::int64_t start_ns, std::int64_t end_ns, std::int64_t device_ns,
                   std::uint32_t tid = 1, std::string_view stack = {}) {
    const std::uint32_t row = trace_.add_op(tid, start_ns, end_ns);
    trace_->framework_ops().stack[row] = trace_->strings.intern(stack);
    if (device_ns == 0) return row;
    const std::uint32_t task = trace_.add_task(tid, start_ns, next_ns_, next_ns_ + device_ns);
    trace_->tasks().context[task] = trace::kNone;
    next_ns_ += device_ns;
    trace_->kernel_ops().op.push_back(row);
    trace_->kernel_ops().task.push_back(task);
    return row;
  }
  PythonFrames frames() {
    link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
    return python_frames(*trace_);
  }
  static FrameTotals find(const PythonFrames& all, std::string_view name) {
    for (const FrameTotals& frame : all.frames) {
      if (frame.name == name) return frame;
    }
    ADD_FAILURE() << name;
    return {};
  }

  link::testing::FrameworkTrace trace_;
  std::int64_t next_ns_ = 1'000'000;
};

TEST_F(PythonFramesTest, SelfIsWithoutTheCallsBelow) {
  call(10, 30, "b");
  call(40, 50, "b");
  call(0, 100, "a");
  const auto all = frames();
  ASSERT_EQ(all.frames.size(), 2u);
  EXPECT_FALSE(all.from_stacks);
  EXPECT_EQ(find(all, "a").self_ns, 70);
  EXPECT_EQ(find(all, "a").total_ns, 100);
  EXPECT_EQ(find(all, "b").calls, 2u);
  EXPECT_EQ(find(all, "b").self_ns, 30);
}

TEST_F(PythonFramesTest, WorkOfAnotherThreadWasCalledWhereItWasHandedOn) {
  call(10, 30, "handing");
  call(0, 100, "outer");
  const std::uint32_t caller = op(15, 25, 0);
  const std::uint32_t launcher = op(40, 50, 700, 2);
  auto& marks = trace_->flow_marks();
  resize_rows(marks, 1);
  marks.tid[0] = 1;
  marks.start_ns[0] = marks.end_ns[0] = 20;
  marks.from[0] = caller;
  marks.to[0] = launcher;
  const auto all = frames();
  EXPECT_EQ(find(all, "handing").device_self_ns, 700);
  EXPECT_EQ(find(all, "outer").device_self_ns, 0);
  EXPECT_EQ(find(all, "outer").device_total_ns, 700);
  EXPECT_EQ(all.device_outside_ns, 0);
}

TEST_F(PythonFramesTest, RecursionCountsOnce) {
  call(20, 30, "a");
  call(15, 40, "b");
  call(10, 50, "a");
  op(22, 25, 7);
  const auto all = frames();
  EXPECT_EQ(find(all, "a").calls, 2u);
  EXPECT_EQ(find(all, "a").total_ns, 40);
  EXPECT_EQ(find(all, "a").self_ns, 25);
  EXPECT_EQ(find(all, "a").device_total_ns, 7);
  EXPECT_EQ(find(all, "b").total_ns, 25);
  EXPECT_EQ(find(all, "b").device_total_ns, 7);
  EXPECT_EQ(find(all, "b").device_self_ns, 0);
}

TEST_F(PythonFramesTest, DeviceTimeGoesToTheFrameInWhichTheOperatorStarts) {
  call(10, 30, "b");
  call(0, 100, "a");
  op(5, 8, 1);
  op(10, 20, 2);  // As b begins.
  op(30, 35, 4);  // As b ends.
  op(200, 210, 8);
  op(15, 20, 16, 2);
  const auto all = frames();
  EXPECT_EQ(find(all, "a").device_self_ns, 5);
  EXPECT_EQ(find(all, "a").operators, 2u);
  EXPECT_EQ(find(all, "a").device_total_ns, 7);
  EXPECT_EQ(find(all, "b").device_self_ns, 2);
  EXPECT_EQ(all.device_ns, 31);
  EXPECT_EQ(all.device_outside_ns, 24);
}

TEST_F(PythonFramesTest, ThreadsDoNotMeet) {
  call(10, 30, "b", 2);
  call(0, 100, "a", 1);
  op(15, 20, 3, 2);
  const auto all = frames();
  EXPECT_EQ(find(all, "a").self_ns, 100);
  EXPECT_EQ(find(all, "a").device_total_ns, 0);
  EXPECT_EQ(find(all, "b").device_self_ns, 3);
}

TEST_F(PythonFramesTest, ACallThatOutlivesItsCallerIsCut) {
  call(0, 50, "a");
  call(10, 90, "b");
  call(60, 70, "c");
  const auto all = frames();
  EXPECT_EQ(find(all, "a").self_ns, 10);
  EXPECT_EQ(find(all, "b").total_ns, 40);
  EXPECT_EQ(find(all, "c").total_ns, 10);
}

TEST_F(PythonFramesTest, ObjectsOfBuiltInsAreNotToldApart) {
  call(0, 10, "<built-in method item of Tensor object at 0x7f01>");
  call(20, 50, "<built-in method item of Tensor object at 0x7f02>");
  call(60, 61, "nn.Module: Linear_0");
  const auto all = frames();
  ASSERT_EQ(all.frames.size(), 2u);
  EXPECT_EQ(find(all, "built-in method item of Tensor object").calls, 2u);
  EXPECT_TRUE(find(all, "nn.Module: Linear_0").is_module);
}

TEST_F(PythonFramesTest, StacksStandForCalls) {
  op(0, 100, 10, 1, "f;g;f");
  op(20, 50, 5);  // Inside, without a stack of its own.
  op(200, 210, 1, 1, "g");
  op(300, 310, 2);
  const auto all = frames();
  EXPECT_TRUE(all.from_stacks);
  ASSERT_EQ(all.frames.size(), 2u);
  EXPECT_EQ(find(all, "f").operators, 2u);
  EXPECT_EQ(find(all, "f").self_ns, 100);
  EXPECT_EQ(find(all, "f").total_ns, 100);
  EXPECT_EQ(find(all, "f").device_self_ns, 15);
  EXPECT_EQ(find(all, "f").device_total_ns, 15);
  EXPECT_EQ(find(all, "g").self_ns, 10);
  EXPECT_EQ(find(all, "g").total_ns, 110);
  EXPECT_EQ(find(all, "g").device_total_ns, 16);
  EXPECT_EQ(all.device_outside_ns, 2);
}

TEST_F(PythonFramesTest, NothingGivesNothing) { EXPECT_TRUE(frames().frames.empty()); }

}  // namespace
}  // namespace npuprof::analyze
