#include "link/device/step_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/ts_track.h"
#include "trace/device/step_marks.h"
#include "trace/linked/device_steps.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::link {
namespace {

using format::device::StepTag;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StepTraceTest : public ::testing::Test {
 protected:
  void mark(std::int64_t time, std::uint16_t tag, std::uint64_t model = 5, std::uint64_t index = 0,
            std::uint16_t stream = 1) {
    trace::StepMarks& table = trace_.step_marks();
    trace::resize_rows(table, table.size() + 1);
    table.time_ns.back() = time;
    table.tag.back() = tag;
    table.model_id.back() = model;
    table.index.back() = index;
    table.stream.back() = stream;
  }

  trace::Trace trace_;
};

TEST_F(StepTraceTest, IterationsFollowEachOther) {
  mark(100, StepTag::kModelStart);
  mark(110, StepTag::kForwardStart);
  mark(150, StepTag::kBackwardEnd);
  mark(160, StepTag::kIterationEnd);
  mark(170, StepTag::kForwardStart);
  mark(190, StepTag::kBackwardEnd);
  mark(200, StepTag::kIterationEnd);
  mark(210, StepTag::kModelEnd);
  link_step_trace(trace_);
  const trace::Iterations& table = trace_.iterations();
  EXPECT_THAT(table.index, ElementsAre(1, 2));
  EXPECT_THAT(table.model_id, ElementsAre(5, 5));
  EXPECT_THAT(table.start_ns, ElementsAre(100, 160));
  EXPECT_THAT(table.forward_start_ns, ElementsAre(110, 170));
  EXPECT_THAT(table.backward_end_ns, ElementsAre(150, 190));
  EXPECT_THAT(table.end_ns, ElementsAre(160, 200));
  EXPECT_THAT(table.previous_end_ns, ElementsAre(0, 160));
}

TEST_F(StepTraceTest, AModelWithoutIterationEndsHasOneIterationPerRun) {
  mark(100, StepTag::kModelStart);
  mark(200, StepTag::kModelEnd);
  mark(300, StepTag::kModelStart);
  mark(400, StepTag::kModelEnd);
  mark(500, StepTag::kModelStart);  // Still open.
  link_step_trace(trace_);
  EXPECT_THAT(trace_.iterations().start_ns, ElementsAre(100, 300));
  EXPECT_THAT(trace_.iterations().end_ns, ElementsAre(200, 400));
  EXPECT_THAT(trace_.iterations().forward_start_ns, ElementsAre(0, 0));
}

TEST_F(StepTraceTest, AModelStartAfterAnIterationEndMovesTheStart) {
  mark(100, StepTag::kModelStart);
  mark(160, StepTag::kIterationEnd);
  mark(180, StepTag::kModelStart);
  mark(200, StepTag::kIterationEnd);
  link_step_trace(trace_);
  EXPECT_THAT(trace_.iterations().start_ns, ElementsAre(100, 180));
}

TEST_F(StepTraceTest, PipelinedIterationsAreTakenApart) {
  mark(100, StepTag::kModelStart);
  mark(110, StepTag::kForwardStart);
  mark(120, StepTag::kForwardStart);  // The second begins before the first has ended.
  mark(150, StepTag::kBackwardEnd);
  mark(155, StepTag::kIterationEnd);
  mark(170, StepTag::kBackwardEnd);
  mark(180, StepTag::kIterationEnd);
  mark(190, StepTag::kModelEnd);
  link_step_trace(trace_);
  EXPECT_THAT(trace_.iterations().forward_start_ns, ElementsAre(110, 120));
  EXPECT_THAT(trace_.iterations().backward_end_ns, ElementsAre(150, 170));
  EXPECT_THAT(trace_.iterations().end_ns, ElementsAre(155, 180));
  EXPECT_THAT(trace_.iterations().previous_end_ns, ElementsAre(0, 0));  // 155 is after 120.
}

TEST_F(StepTraceTest, RangesInsideIterations) {
  mark(100, StepTag::kModelStart);
  mark(105, 20000);  // Two get-next side by side on one stream.
  mark(106, 20002);
  mark(107, 20001);
  mark(109, 20003);
  mark(120, 10000);
  mark(125, 10002, 5, 0, 2);  // An all-reduce on another stream.
  mark(130, 10003, 5, 0, 2);
  mark(140, 10001);
  mark(145, 10001, 5, 0, 9);  // No start.
  mark(160, StepTag::kIterationEnd);
  mark(170, 10000);  // The iteration does not end.
  mark(180, 10001);
  link_step_trace(trace_);
  const trace::IterationRanges& ranges = trace_.iteration_ranges();
  EXPECT_THAT(ranges.is_get_next, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(ranges.start_ns, ElementsAre(105, 106, 120, 125));
  EXPECT_THAT(ranges.end_ns, ElementsAre(107, 109, 140, 130));
  EXPECT_THAT(ranges.index, ElementsAre(1, 1, 1, 1));
}

TEST_F(StepTraceTest, WithoutAModelStartThereIsNoIteration) {
  mark(110, StepTag::kForwardStart);
  mark(160, StepTag::kIterationEnd);
  link_step_trace(trace_);
  EXPECT_THAT(trace_.iterations().index, IsEmpty());
}

TEST_F(StepTraceTest, StepsOfTheFramework) {
  mark(300, StepTag::kStepStart, 9, 2);
  mark(100, StepTag::kStepStart, 9, 1);
  mark(200, StepTag::kStepEnd, 9, 1);
  mark(400, StepTag::kStepEnd, 9, 2);
  mark(500, StepTag::kStepStart, 9, 3);  // Not ended.
  mark(600, StepTag::kStepStart, 9, 4);  // Twice.
  mark(610, StepTag::kStepStart, 9, 4);
  mark(620, StepTag::kStepEnd, 9, 4);
  link_step_trace(trace_);
  EXPECT_THAT(trace_.device_steps().index, ElementsAre(1, 2));
  EXPECT_THAT(trace_.device_steps().start_ns, ElementsAre(100, 300));
  EXPECT_THAT(trace_.device_steps().end_ns, ElementsAre(200, 400));
  EXPECT_THAT(trace_.device_steps().model_id, ElementsAre(9, 9));
  EXPECT_THAT(trace_.iterations().index, IsEmpty());
}

TEST_F(StepTraceTest, ModelsHaveIndicesOfTheirOwn) {
  mark(100, StepTag::kModelStart, 1);
  mark(150, StepTag::kModelStart, 2);
  mark(200, StepTag::kModelEnd, 1);
  mark(250, StepTag::kModelEnd, 2);
  link_step_trace(trace_);
  EXPECT_THAT(trace_.iterations().model_id, ElementsAre(1, 2));
  EXPECT_THAT(trace_.iterations().index, ElementsAre(1, 1));
}

}  // namespace
}  // namespace npuprof::link
