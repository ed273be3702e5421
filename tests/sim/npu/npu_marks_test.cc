#include <gtest/gtest.h>

#include "format/device/ts_track.h"
#include "format/host/msproftx.h"
#include "sim/model/sample_kernels.h"
#include "sim/npu/npu.h"
#include "sim/npu/npu_fixture.h"
#include "sim/simulated.h"

namespace npuprof::sim {
namespace {

namespace device = format::device;
namespace host = format::host;
using testing::enclosing;
using testing::Recording;

using testing::kThread;

NpuOptions with_marks() {
  NpuOptions options;
  options.collection.mstx = true;
  options.process_id = 321;
  return options;
}

TEST(NpuMarks, ARangeIsOneRecordAtItsEnd) {
  Recording recording(with_marks());
  Npu& npu = recording.npu();
  const std::int64_t begin_ns = recording.begin_ns();
  const std::uint64_t outer = npu.marks().range_start(kThread, "step", "default", begin_ns);
  const std::uint64_t mark = npu.marks().mark(kThread, "here", "io", begin_ns + 1000);
  npu.marks().range_end(kThread, outer, begin_ns + 5000);
  npu.marks().range_end(kThread, 999, begin_ns + 6000);  // Unknown: ignored.
  recording.finish();
  const auto marks = recording.host<host::Msproftx>();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].mark_id, mark);
  EXPECT_EQ(marks[0].start, marks[0].end);
  EXPECT_EQ(marks[0].message_text(), "here");
  EXPECT_EQ(marks[0].event_type, host::Msproftx::kMark);
  EXPECT_EQ(marks[1].mark_id, outer);
  EXPECT_EQ(marks[1].end - marks[1].start, 500u);
  EXPECT_EQ(marks[1].process_id, 321u);
  EXPECT_NE(marks[0].domain, marks[1].domain);
  EXPECT_FALSE(recording.has_file("device", "ts_track.data")) << "no stream, no device record";
  EXPECT_EQ(npu.truth().counted(TruthCount::kMarks), 2u);
}

TEST(NpuMarks, WithAStreamBothEndsAppearOnTheDevice) {
  Recording recording(with_marks());
  Npu& npu = recording.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::elementwise(1e7));
  std::int64_t now_ns = recording.begin_ns();
  const std::uint64_t range =
      npu.marks().range_start(kThread, "forward", "default", now_ns, StreamNumber{0});
  const TaskRun run = npu.kernels().launch(kThread, 0, kernel, now_ns + 1000);
  npu.marks().range_end(kThread, range, run.host_end_ns + 1000);
  recording.finish();
  const auto traces = recording.device<device::StepTrace>("ts_track.data");
  ASSERT_EQ(traces.size(), 2u);
  for (const auto& trace : traces) {
    EXPECT_EQ(trace.head.track_type(), device::TrackType::kStepTrace);
    EXPECT_EQ(trace.tag, device::StepTag::kMark);
    EXPECT_EQ(trace.index_id, range);
  }
  EXPECT_LE(traces[0].head.syscnt, recording.clock().device_ticks(run.device_begin_ns));
  EXPECT_GE(traces[1].head.syscnt, recording.clock().device_ticks(run.device_end_ns));
  std::size_t trace_tasks = 0;
  for (const auto& track : recording.host<host::TaskTrack>()) trace_tasks += track.task_type == 26u;
  EXPECT_EQ(trace_tasks, 2u);
}

TEST(NpuMarks, NothingWithoutTheSwitch) {
  Recording recording;
  EXPECT_EQ(recording.npu().marks().mark(kThread, "here", "default", recording.begin_ns()), 0u);
  recording.finish();
  EXPECT_FALSE(recording.has_file("host", "aging.additional.msproftx"));
}

TEST(NpuMarks, MarksAreAllThatLevelNoneCollects) {
  NpuOptions options = with_marks();
  options.collection.level = CollectionLevel::kNone;
  Recording recording(options);
  Npu& npu = recording.npu();
  npu.marks().mark(kThread, "here", "default", recording.begin_ns(), StreamNumber{0});
  npu.kernels().launch(kThread, 0, npu.kernels().add(testing::elementwise(1000)),
                       recording.begin_ns() + 1000);
  recording.finish();
  EXPECT_EQ(recording.host<host::Msproftx>().size(), 1u);
  EXPECT_EQ(recording.device<device::StepTrace>("ts_track.data").size(), 1u);
  EXPECT_FALSE(recording.has_file("host", "aging.compact.task_track"));
  EXPECT_FALSE(recording.has_file("device", "stars_soc.data"));
}

TEST(NpuMarks, StepsAreMarkedOnTheirStream) {
  Recording recording;
  Npu& npu = recording.npu();
  std::int64_t now_ns = npu.marks().step(kThread, 0, 7, true, recording.begin_ns()) + 500;
  now_ns = npu.marks().step(kThread, 0, 7, false, now_ns + 100'000);
  recording.finish();
  const auto traces = recording.device<device::StepTrace>("ts_track.data");
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].tag, device::StepTag::kStepStart);
  EXPECT_EQ(traces[1].tag, device::StepTag::kStepEnd);
  EXPECT_EQ(traces[0].index_id, 7u);
  const auto calls = recording.calls();
  for (const auto& track : recording.host<host::TaskTrack>()) {
    const auto* step = enclosing(calls, host::kLevelNode, kThread, track.header.timestamp);
    ASSERT_NE(step, nullptr);
    EXPECT_EQ(step->type, host::kTypeNodeStepInfo);
  }
}

}  // namespace
}  // namespace npuprof::sim
