#include "link/device/overlap.h"

#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/device/launches_to_tasks.h"
#include "link/device_trace.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/host/communicator_streams.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::link {
namespace {

using testing::DeviceTrace;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using trace::OverlapKind;

class OverlapTest : public ::testing::Test {
 protected:
  void kernel(std::int64_t start, std::int64_t end, std::string_view name = "kernel",
              std::uint32_t task_type = 0) {
    host_.launch(1, ++task_);
    host_.op(name, task_type);
    host_.task(start, end, task_);
  }
  void other_task(std::int64_t start, std::int64_t end, std::uint16_t host_type) {
    host_.launch(1, ++task_, trace::kNone, host_type, "OTHER");
    host_.task(start, end, task_);
  }
  void collective(std::int64_t start, std::int64_t end) {
    trace::CollectiveOps& table = host_.trace().collective_ops();
    DeviceTrace::add_row(table);
    table.start_ns.back() = start;
    table.end_ns.back() = end;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals(OverlapKind kind) {
    const trace::OverlapIntervals& table = host_.trace().overlap_intervals();
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (table.kind[row] == static_cast<std::uint8_t>(kind)) {
        found.emplace_back(table.start_ns[row], table.end_ns[row]);
      }
    }
    return found;
  }
  void link() {
    link_tasks(host_.trace());
    link_overlap(host_.trace());
  }

  DeviceTrace host_;
  std::uint32_t task_ = 0;
};

TEST_F(OverlapTest, FourKindsOfTime) {
  kernel(100, 200);
  kernel(150, 250);
  kernel(400, 500);
  collective(220, 450);
  other_task(50, 60, 5);
  other_task(600, 700, 14);
  link();
  EXPECT_THAT(intervals(OverlapKind::kComputing), ElementsAre(Pair(100, 250), Pair(400, 500)));
  EXPECT_THAT(intervals(OverlapKind::kCommunication), ElementsAre(Pair(220, 450)));
  EXPECT_THAT(intervals(OverlapKind::kNotOverlapped), ElementsAre(Pair(250, 400)));
  EXPECT_THAT(intervals(OverlapKind::kFree), ElementsAre(Pair(50, 100), Pair(500, 700)));
}

TEST_F(OverlapTest, SwitchingTheProfilerDoesNotExtendTheSpan) {
  kernel(100, 200);
  other_task(10, 20, 64);
  other_task(300, 310, 65);
  other_task(400, 410, 52);  // The task around a MIX kernel.
  link();
  EXPECT_THAT(intervals(OverlapKind::kFree), IsEmpty());
}

TEST_F(OverlapTest, KernelsThatDriveCommunicationDoNotCompute) {
  kernel(100, 200);
  kernel(200, 300, "allReduceAivKernel");
  kernel(300, 400, "hcomAicpuKernel");
  kernel(400, 500, "reduce", 9);
  trace::CommunicatorStreams& streams = host_.trace().communicator_streams();
  DeviceTrace::add_row(streams);
  streams.kernel_stream[0] = 6;
  host_.stream = 6;
  kernel(500, 600);
  link();
  EXPECT_THAT(intervals(OverlapKind::kComputing), ElementsAre(Pair(100, 200)));
}

TEST_F(OverlapTest, TurnsOfFusedKernelsAreCommunication) {
  kernel(100, 200);
  trace::KernelCommunicationTurns& turns = host_.trace().kernel_communication_turns();
  DeviceTrace::add_row(turns);
  turns.start_ns[0] = 150;
  turns.end_ns[0] = 250;
  link();
  EXPECT_THAT(intervals(OverlapKind::kCommunication), ElementsAre(Pair(150, 250)));
  EXPECT_THAT(intervals(OverlapKind::kNotOverlapped), ElementsAre(Pair(200, 250)));
}

}  // namespace
}  // namespace npuprof::link
