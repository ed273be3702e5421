#include "link/collectives/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/device/launches_to_tasks.h"
#include "link/device_trace.h"
#include "trace/device/device_collectives.h"
#include "trace/host/api_calls.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/communicator_streams.h"
#include "trace/launched/launched_collectives.h"
#include "trace/launched/launches.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::link {
namespace {

using testing::DeviceTrace;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::kNone;

constexpr std::uint64_t kGroup = 7245453188240496851ull;

class CollectivesTest : public ::testing::Test {
 protected:
  // A launch of a collective; returns its row.
  std::uint32_t collective(std::string_view name, std::int64_t time, std::uint64_t group = kGroup) {
    trace::Trace& trace = host_.trace();
    DeviceTrace::add_row(trace.api_calls());
    trace.api_calls().start_ns.back() = time;
    trace.api_calls().tid.back() = 55;
    DeviceTrace::add_row(trace.collective_infos());
    trace.collective_infos().group_hash.back() = group;
    trace.collective_infos().group.back() = host_.text("group name");
    trace.collective_infos().data_type.back() = 11;
    trace.collective_infos().count.back() = 1024;
    trace.collective_infos().algorithm.back() = host_.text("MESH");
    trace::LaunchedCollectives& table = trace.launched_collectives();
    DeviceTrace::add_row(table);
    table.api.back() = static_cast<std::uint32_t>(trace.api_calls().size() - 1);
    table.name.back() = host_.text(name);
    table.op_type.back() = host_.text(name);
    table.info.back() = static_cast<std::uint32_t>(trace.collective_infos().size() - 1);
    table.kfc_api.back() = kNone;
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  // A task of it, with the device's execution of it.
  void task(std::uint32_t collective, std::int64_t start, std::int64_t end, bool is_master = true,
            std::uint32_t plane = 0, std::uint64_t bytes = 0, std::uint32_t rdma = kNone) {
    launch(collective, is_master, plane, bytes, rdma);
    host_.task(start, end, task_);
  }
  void launch(std::uint32_t collective, bool is_master = true, std::uint32_t plane = 0,
              std::uint64_t bytes = 0, std::uint32_t rdma = kNone) {
    host_.launch(1, ++task_, kNone, 14, "NOTIFY_WAIT");
    trace::Trace& trace = host_.trace();
    trace.launches().collective.back() = collective;
    trace.launches().is_master.back() = is_master ? 1 : 0;
    trace::CollectiveTaskInfos& infos = trace.collective_task_infos();
    DeviceTrace::add_row(infos);
    infos.name.back() = host_.text("Memcpy");
    infos.plane.back() = plane;
    infos.size_bytes.back() = bytes;
    infos.rdma_type.back() = rdma;
    infos.local_rank.back() = 1;
    infos.remote_rank.back() = 2;
    infos.rank_size.back() = 8;
    infos.link_type.back() = 3;
    trace.launches().collective_task.back() = static_cast<std::uint32_t>(infos.size() - 1);
  }
  void link() {
    link_tasks(host_.trace());
    link_collectives(host_.trace());
  }
  std::vector<std::string_view> names() {
    std::vector<std::string_view> texts;
    for (const StringId id : host_.trace().collective_ops().name) texts.push_back(host_.text(id));
    return texts;
  }

  DeviceTrace host_;
  std::uint32_t task_ = 0;
};

TEST_F(CollectivesTest, TimesComeFromTheMasterPlane) {
  const std::uint32_t op = collective("hcom_allReduce_", 10);
  task(op, 100, 150);
  task(op, 90, 300, false, 1);
  task(op, 160, 200);
  link();
  const trace::Trace& trace = host_.trace();
  const trace::CollectiveOps& ops = trace.collective_ops();
  ASSERT_THAT(names(), ElementsAre("hcom_allReduce__851_0_1"));
  EXPECT_EQ(ops.start_ns[0], 100);
  EXPECT_EQ(ops.end_ns[0], 200);
  EXPECT_EQ(host_.text(ops.type[0]), "hcom_allReduce_");
  EXPECT_EQ(host_.text(ops.group[0]), "7245453188240496851");
  EXPECT_EQ(host_.text(ops.group_name[0]), "group name");
  EXPECT_EQ(host_.text(ops.algorithm[0]), "MESH");
  EXPECT_EQ(ops.data_type[0], 11u);
  EXPECT_EQ(ops.count[0], 1024u);
  EXPECT_EQ(ops.rank_size[0], 8u);
  EXPECT_EQ(ops.tid[0], 55u);
  const trace::CollectiveTasks& tasks = trace.collective_tasks();
  EXPECT_THAT(tasks.start_ns, ElementsAre(90, 100, 160));
  EXPECT_THAT(tasks.is_master, ElementsAre(0, 1, 1));
  EXPECT_THAT(tasks.plane, ElementsAre(1, 0, 0));
  EXPECT_EQ(tasks.source_rank[0], 1u);
  EXPECT_EQ(tasks.destination_rank[0], 2u);
  EXPECT_EQ(tasks.link_type[0], 3u);
  EXPECT_EQ(host_.text(tasks.name[0]), "Memcpy");
}

TEST_F(CollectivesTest, NumbersCountTheCollectivesOfAGroup) {
  const std::uint32_t first = collective("hcom_allReduce_", 10);
  const std::uint32_t other = collective("hcom_broadcast_", 20, 1000123);
  const std::uint32_t second = collective("hcom_allGather_", 30);
  task(first, 100, 150);
  task(other, 200, 250);
  task(second, 300, 350);
  link();
  EXPECT_THAT(names(), ElementsAre("hcom_allReduce__851_0_1", "hcom_broadcast__123_0_1",
                                   "hcom_allGather__851_1_1"));
}

TEST_F(CollectivesTest, BeforeTheCollectionThereIsNoNumber) {
  host_.trace().session.begin_ns = 200;
  task(collective("hcom_allReduce_", 10), 100, 150);
  task(collective("hcom_allReduce_", 20), 300, 350);
  link();
  EXPECT_THAT(names(), ElementsAre("hcom_allReduce__851_-1_1", "hcom_allReduce__851_0_1"));
}

TEST_F(CollectivesTest, ReplaysCountExecutions) {
  const std::uint32_t first = collective("hcom_allReduce_", 10);
  const std::uint32_t second = collective("hcom_allReduce_", 20);
  task(first, 100, 150);
  host_.task(500, 550, task_);
  task(second, 300, 350);
  host_.task(700, 750, task_);
  link();
  EXPECT_THAT(names(), ElementsAre("hcom_allReduce__851_0_1", "hcom_allReduce__851_1_1",
                                   "hcom_allReduce__851_0_2", "hcom_allReduce__851_1_2"));
  EXPECT_THAT(host_.trace().collective_tasks().op, ElementsAre(0, 1, 2, 3));
}

TEST_F(CollectivesTest, WithoutDetailsOnlyTheTimesAreKnown) {
  const std::uint32_t op = collective("hcom_allReduce_", 10);
  task(op, 100, 150);
  host_.trace().launches().collective_task.back() = kNone;
  link();
  const trace::CollectiveTasks& tasks = host_.trace().collective_tasks();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks.plane[0], kNone);
  EXPECT_EQ(tasks.link_type[0], kNone);
  EXPECT_EQ(tasks.notify_id[0], ~std::uint64_t{0});
  EXPECT_EQ(tasks.bandwidth_gb_s[0], 0);
  EXPECT_EQ(host_.trace().collective_ops().rank_size[0], 0u);
}

TEST_F(CollectivesTest, CollectivesThatNeverRanAreLeftOut) {
  launch(collective("hcom_allReduce_", 10));
  host_.task(100, 110, 999);
  link();
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(CollectivesTest, BandwidthIsBytesOverTime) {
  const std::uint32_t op = collective("hcom_allReduce_", 10);
  task(op, 100, 150, true, 0, 5000);
  task(op, 200, 200, true, 0, 5000);
  link();
  EXPECT_THAT(host_.trace().collective_tasks().bandwidth_gb_s, ElementsAre(100, 0));
}

TEST_F(CollectivesTest, PayloadsOfARunShareTheBandwidthOfTheRun) {
  constexpr std::uint32_t kPayload = 1;
  constexpr std::uint32_t kNotify = 0;
  const std::uint32_t op = collective("hcom_allReduce_", 10);
  task(op, 100, 101, true, 0, 1000, kPayload);
  task(op, 100, 900, true, 1, 80, kNone);  // Another plane.
  task(op, 110, 111, true, 0, 3000, kPayload);
  task(op, 120, 121, true, 0, 0, kNotify);
  task(op, 130, 131, true, 0, 0);
  task(op, 140, 150, true, 0, 0, kNotify);
  task(op, 160, 180, true, 0, 0);             // Closes the run: 2 + 5 - 2 tasks after its first.
  task(op, 190, 200, true, 0, 70, kPayload);  // Not closed.
  link();
  EXPECT_THAT(host_.trace().collective_tasks().bandwidth_gb_s,
              ElementsAre(50, DoubleNear(0.1, 1e-12), 50, 0, 0, 0, 0, 7));
}

TEST_F(CollectivesTest, PointToPointRunsCloseSooner) {
  const std::uint32_t op = collective("hcom_send_", 10);
  task(op, 100, 101, true, 0, 1000, 1);
  task(op, 110, 111, true, 0, 0);
  task(op, 120, 200, true, 0, 0);
  link();
  EXPECT_THAT(host_.trace().collective_tasks().bandwidth_gb_s, ElementsAre(10, 0, 0));
}

// A collective that the AI CPU expands: the host launches control tasks and, nested, an AI CPU
// kernel.
class DeviceCollectivesTest : public CollectivesTest {
 protected:
  static constexpr std::uint16_t kKernelStream = 6;
  static constexpr std::uint16_t kMainStream = 20;
  static constexpr std::uint16_t kOtherStream = 21;
  static constexpr std::uint32_t kKernelApi = 33;

  void SetUp() override {
    trace::CommunicatorStreams& streams = host_.trace().communicator_streams();
    for (const std::uint16_t stream : {kMainStream, kOtherStream}) {
      DeviceTrace::add_row(streams);
      streams.group_hash.back() = kGroup;
      streams.group.back() = host_.text("group name");
      streams.rank_size.back() = 4;
      streams.kernel_stream.back() = kKernelStream;
      streams.stream.back() = stream;
    }
  }

  void kernel(std::int64_t start, std::int64_t end, std::string_view name) {
    host_.stream = kKernelStream;
    host_.launch(12, 1, kNone, 1, "KERNEL_AICPU");
    host_.op(name, 256);
    host_.trace().launches().api.back() = kKernelApi;
    host_.task(start, end, 1, kNone, 1);
  }

  void device_task(std::uint16_t stream, std::uint32_t task, std::int64_t start, std::int64_t end,
                   std::uint8_t type = 7) {
    host_.stream = stream;
    host_.task(start, end, task, kNone, type);
  }

  trace::DeviceCollectives& record(std::uint8_t kind, std::int64_t time, std::uint16_t stream,
                                   std::uint32_t task) {
    trace::DeviceCollectives& table = host_.trace().device_collectives();
    DeviceTrace::add_row(table);
    table.time_ns.back() = time;
    table.kind.back() = kind;
    table.stream.back() = stream;
    table.task.back() = task;
    table.rdma_type.back() = kNone;
    return table;
  }
  void mark(std::int64_t time, std::uint32_t task, std::uint16_t position) {
    trace::DeviceCollectives& table = record(12, time, kMainStream, task);
    table.other_stream.back() = kKernelStream;
    table.mark.back() = position;
  }
  void details(std::uint16_t stream, std::uint32_t task, std::uint64_t bytes) {
    trace::DeviceCollectives& table = record(13, 100, stream, task);
    table.name.back() = host_.text("Write");
    table.size_bytes.back() = bytes;
  }
};

TEST_F(DeviceCollectivesTest, ExpandedByTheCommunicationLibrary) {
  const std::uint32_t op = collective("hcom_allReduce_", 10);
  host_.trace().launched_collectives().kfc_api.back() = kKernelApi;
  host_.stream = 2;
  task(op, 95, 99);  // A control task of the host.
  kernel(100, 400, "allReduceAicpuKernel");
  trace::DeviceCollectives& attributes = record(10, 110, kKernelStream, 1);
  attributes.group_hash.back() = kGroup;
  attributes.count.back() = 4096;
  attributes.retry.back() = 1;
  attributes.rank_size.back() = 16;
  mark(120, 1, 0);
  mark(130, 3, 1);
  device_task(kMainStream, 1, 105, 150);
  device_task(kMainStream, 2, 160, 180);
  device_task(kMainStream, 3, 200, 350);
  device_task(kOtherStream, 1, 210, 300);
  device_task(kOtherStream, 2, 360, 380);  // After the last task on the main stream.
  details(kMainStream, 1, 0);
  details(kMainStream, 2, 1000);
  details(kMainStream, 3, 0);
  details(kOtherStream, 1, 900);
  details(kOtherStream, 2, 900);
  link();
  const trace::CollectiveOps& ops = host_.trace().collective_ops();
  ASSERT_THAT(names(), ElementsAre("hcom_allReduce__851_0_1"));
  EXPECT_EQ(ops.start_ns[0], 105);
  EXPECT_EQ(ops.end_ns[0], 350);
  EXPECT_EQ(ops.count[0], 4096u);
  EXPECT_EQ(ops.retry[0], 1);
  EXPECT_EQ(ops.rank_size[0], 16u);
  EXPECT_EQ(ops.api[0], kKernelApi);
  const trace::CollectiveTasks& tasks = host_.trace().collective_tasks();
  EXPECT_THAT(tasks.start_ns, ElementsAre(95, 105, 160, 200, 210));
  EXPECT_THAT(tasks.plane, ElementsAre(0, 1, 1, 1, 2));
  EXPECT_THAT(tasks.is_master, ElementsAre(0, 0, 1, 1, 0));
  EXPECT_EQ(host_.text(tasks.name[2]), "Write");
  EXPECT_THAT(tasks.bandwidth_gb_s, ElementsAre(0, 0, 50, 0, 10));
}

TEST_F(DeviceCollectivesTest, FusedKernels) {
  kernel(100, 400, "MatmulAllReduceAicpuKernel");
  constexpr std::uint8_t kCCore = 20;
  device_task(kMainStream, 1, 110, 150, kCCore);
  device_task(kMainStream, 2, 160, 180);
  device_task(kOtherStream, 1, 210, 300);
  device_task(kOtherStream, 2, 390, 410);  // Ends after the kernel.
  link();
  ASSERT_THAT(names(), ElementsAre("MatmulAllReduceAicpuKernel_851_0_1"));
  const trace::CollectiveOps& ops = host_.trace().collective_ops();
  EXPECT_EQ(ops.start_ns[0], 100);
  EXPECT_EQ(ops.end_ns[0], 400);
  EXPECT_EQ(host_.text(ops.group_name[0]), "group name");
  EXPECT_EQ(ops.rank_size[0], 4u);
  const trace::CollectiveTasks& tasks = host_.trace().collective_tasks();
  EXPECT_THAT(tasks.start_ns, ElementsAre(110, 160, 210));
  EXPECT_THAT(tasks.is_master, ElementsAre(1, 1, 0));
  EXPECT_THAT(tasks.plane, ElementsAre(kNone, kNone, kNone));
}

TEST_F(DeviceCollectivesTest, PreparingTheAiCpuIsNoCollective) {
  kernel(100, 400, "hcomAicpuInit");
  link();
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace npuprof::link
