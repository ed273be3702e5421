#include "link/device/device_mark_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/device/step_marks.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using trace::kNone;

class DeviceMarksTest : public ::testing::Test {
 protected:
  void mark(std::int64_t time, std::uint16_t tag, std::uint64_t id) {
    trace::StepMarks& table = trace_.step_marks();
    trace::resize_rows(table, table.size() + 1);
    table.time_ns.back() = time;
    table.tag.back() = tag;
    table.index.back() = id;
    table.stream.back() = 4;
  }
  void host_mark(std::uint64_t id, bool is_mstx) {
    trace::resize_rows(trace_.marks(), trace_.marks().size() + 1);
    trace_.marks().mark_id.back() = id;
    trace_.marks().is_mstx.back() = is_mstx ? 1 : 0;
  }

  trace::Trace trace_;
};

TEST_F(DeviceMarksTest, OldReleasesUseOneTagForMarksAndRanges) {
  trace_.session.cann_version = "8.3.0";
  mark(300, 11, 2);
  mark(100, 11, 1);
  mark(200, 11, 1);
  mark(50, 2, 1);  // No mark.
  host_mark(2, false);
  host_mark(1, true);
  host_mark(2, true);
  link_device_marks(trace_);
  EXPECT_THAT(trace_.device_marks().start_ns, ElementsAre(100, 300));
  EXPECT_THAT(trace_.device_marks().end_ns, ElementsAre(200, 300));
  EXPECT_THAT(trace_.device_marks().mark_id, ElementsAre(1, 2));
  EXPECT_THAT(trace_.device_marks().mark, ElementsAre(1, 2));
  EXPECT_THAT(trace_.device_marks().stream, ElementsAre(4, 4));
}

TEST_F(DeviceMarksTest, NewReleasesTellRanges) {
  trace_.session.cann_version = "9.1.0";
  mark(100, 11, 1);  // A mark that was reached twice.
  mark(200, 11, 1);
  mark(300, 12, 2);
  mark(400, 12, 2);
  mark(500, 12, 2);  // Still open.
  link_device_marks(trace_);
  EXPECT_THAT(trace_.device_marks().start_ns, ElementsAre(100, 200, 300));
  EXPECT_THAT(trace_.device_marks().end_ns, ElementsAre(100, 200, 400));
  EXPECT_THAT(trace_.device_marks().mark, ElementsAre(kNone, kNone, kNone));
}

}  // namespace
}  // namespace npuprof::link
