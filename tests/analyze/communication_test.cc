#include "analyze/communication.h"

#include <gtest/gtest.h>

#include "format/host/enumerations.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::analyze {
namespace {

using format::host::HcclLink;
using format::host::HcclRdma;
using format::host::HcclTransport;

// Builds collectives task by task.
class CommunicationTest : public ::testing::Test {
 protected:
  struct Task {
    const char* name;
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::uint64_t bytes = 0;
    HcclLink link = HcclLink::kHccs;
    std::uint32_t to = 1;
    std::uint32_t plane = 0;
    bool payload = false;
  };

  void add_op(std::string_view name, const std::vector<Task>& tasks, std::uint16_t device = 0) {
    trace::CollectiveOps& ops = trace_.collective_ops();
    trace::resize_rows(ops, ops.size() + 1);
    ops.device.back() = device;
    ops.name.back() = trace_.strings.intern(name);
    ops.group.back() = trace_.strings.intern("77");
    trace::CollectiveTasks& out = trace_.collective_tasks();
    for (const Task& task : tasks) {
      trace::resize_rows(out, out.size() + 1);
      out.op.back() = static_cast<std::uint32_t>(ops.size() - 1);
      out.name.back() = trace_.strings.intern(task.name);
      out.start_ns.back() = task.start_ns;
      out.end_ns.back() = task.end_ns;
      out.is_master.back() = task.plane == 0 ? 1 : 0;
      out.plane.back() = task.plane;
      out.size_bytes.back() = task.bytes;
      out.source_rank.back() = 0;
      out.destination_rank.back() = task.to;
      out.link_type.back() = static_cast<std::uint32_t>(task.link);
      out.transport_type.back() =
          static_cast<std::uint32_t>(task.payload ? HcclTransport::kRdma : HcclTransport::kSdma);
      out.rdma_type.back() =
          task.payload ? static_cast<std::uint32_t>(HcclRdma::kSendPayload) : trace::kNone;
    }
  }

  void add_step(std::int64_t id, std::int64_t start_ns, std::int64_t end_ns) {
    trace::Steps& steps = trace_.steps();
    trace::resize_rows(steps, steps.size() + 1);
    steps.id.back() = id;
    steps.device_start_ns.back() = start_ns;
    steps.device_end_ns.back() = end_ns;
    steps.has_kernels.back() = 1;
  }

  static const Traffic& traffic(const CommunicationOp& op, Transport transport) {
    return op.traffic[static_cast<std::size_t>(transport)];
  }

  trace::Trace trace_;
};

TEST_F(CommunicationTest, DividesTheTimeOfTheMainPlane) {
  add_op("hcom_allReduce__1", {{"Notify_Wait", 1'000'000, 3'000'000},
                               {"Memcpy", 3'000'000, 7'000'000, 40'000'000},
                               {"Memcpy", 3'000'000, 9'000'000, 1'000'000, HcclLink::kPcie, 2, 1},
                               {"Notify_Wait", 7'000'000, 8'000'000},
                               {"Memcpy", 8'000'000, 8'500'000, 500, HcclLink::kOnChip, 0},
                               {"Notify_Record", 10'000'000, 11'000'000}});
  const auto ops = communication_ops(trace_);
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].group, "77");
  const CommunicationTime& time = ops[0].time;
  EXPECT_DOUBLE_EQ(time.start_us(), 1000);
  EXPECT_DOUBLE_EQ(time.elapse_ms, 10);
  EXPECT_DOUBLE_EQ(time.transit_ms, 4);  // Neither the other plane nor the copy on the chip.
  EXPECT_DOUBLE_EQ(time.wait_ms, 3);
  EXPECT_DOUBLE_EQ(time.synchronization_ms, 2);
  EXPECT_DOUBLE_EQ(time.idle_ms, 3);
  EXPECT_DOUBLE_EQ(time.wait_ratio, 0.4286);
  EXPECT_DOUBLE_EQ(time.synchronization_ratio, 0.3333);
}

// As collectives with a plane for each peer are on devices with FFTS+.
TEST_F(CommunicationTest, TransitIsThatOfTheFirstPlaneThatMovesData) {
  constexpr HcclLink kOnChip = HcclLink::kOnChip;
  add_op("hcom_allReduce__1",
         {{"Memcpy", 0, 1'000'000, 500, kOnChip, 0},
          {"Memcpy", 1'000'000, 2'500'000, 40'000'000, HcclLink::kHccs, 2, 2},
          {.name = "Notify_Wait", .start_ns = 1'000'000, .end_ns = 3'000'000, .plane = 1},
          {"Memcpy", 3'000'000, 7'000'000, 40'000'000, HcclLink::kHccs, 1, 1},
          {.name = "Notify_Wait", .start_ns = 7'000'000, .end_ns = 8'000'000, .plane = 1},
          {"Memcpy", 9'000'000, 10'000'000, 500, kOnChip, 0}});
  // The host may mark all of them as leading.
  trace_.collective_tasks().is_master.assign(6, 1);
  const auto ops = communication_ops(trace_);
  const CommunicationTime& time = ops.at(0).time;
  EXPECT_EQ(time.start_ns, 0);
  EXPECT_DOUBLE_EQ(time.elapse_ms, 10);
  EXPECT_DOUBLE_EQ(time.transit_ms, 4);
  EXPECT_DOUBLE_EQ(time.wait_ms, 3);
  EXPECT_DOUBLE_EQ(time.synchronization_ms, 2);
  EXPECT_DOUBLE_EQ(time.idle_ms, 3);
}

// A rank that only receives moves nothing itself.
TEST_F(CommunicationTest, WithoutTransfersTheLeadingPlaneTellsTheWait) {
  add_op("hcom_receive__1",
         {{.name = "Notify_Wait", .start_ns = 0, .end_ns = 3'000'000, .plane = 1},
          {.name = "Notify_Wait", .start_ns = 1'000'000, .end_ns = 5'000'000}});
  const auto ops = communication_ops(trace_);
  EXPECT_EQ(ops.at(0).time.start_ns, 1'000'000);
  EXPECT_DOUBLE_EQ(ops[0].time.wait_ms, 4);
  trace_.collective_tasks().is_master.assign(2, 0);  // None leads: the lowest plane does.
  EXPECT_DOUBLE_EQ(communication_ops(trace_).at(0).time.wait_ms, 4);
}

TEST_F(CommunicationTest, CountsTrafficOfAllPlanesByTransport) {
  add_op("hcom_allReduce__1",
         {{"Memcpy", 0, 4'000'000, 40'000'000},
          {"Memcpy", 0, 2'000'000, 1'000'000, HcclLink::kPcie, 2, 1},
          {"Reduce_Inline", 4'000'000, 5'000'000, 10'000'000, HcclLink::kHccsSwitch},
          {"Memcpy", 5'000'000, 6'000'000, 7, HcclLink::kOnChip, 0}});
  const auto ops = communication_ops(trace_);
  const Traffic& hccs = traffic(ops.at(0), Transport::kHccs);
  EXPECT_DOUBLE_EQ(hccs.size_mb, 50);
  EXPECT_DOUBLE_EQ(hccs.time_ms, 5);
  EXPECT_DOUBLE_EQ(hccs.bandwidth_gb_s, 10);
  EXPECT_DOUBLE_EQ(hccs.large_packet_ratio, 0.5);
  ASSERT_EQ(hccs.packets.size(), 2u);
  EXPECT_DOUBLE_EQ(hccs.packets[0].size_mb, 10);
  EXPECT_EQ(hccs.packets[0].count, 1u);
  const Traffic& dma = traffic(ops[0], Transport::kSdma);
  EXPECT_DOUBLE_EQ(dma.size_mb, 51);
  EXPECT_DOUBLE_EQ(dma.time_ms, 7);
  EXPECT_TRUE(dma.packets.empty());
  EXPECT_DOUBLE_EQ(traffic(ops[0], Transport::kPcie).bandwidth_gb_s, 0.5);
  ASSERT_EQ(ops[0].links.size(), 3u);  // Plane 0 first.
  EXPECT_EQ(ops[0].links[0].transport, "HCCS");
  EXPECT_DOUBLE_EQ(ops[0].links[0].bandwidth_gb_s, 10);
  EXPECT_EQ(ops[0].links[1].transport, "LOCAL");
  EXPECT_EQ(ops[0].links[2].destination_rank, 2u);
}

TEST_F(CommunicationTest, RdmaLastsUntilTheRunOfPayloadsIsClosed) {
  // Two payloads, then notify and wait: three tasks from the last payload on.
  const std::vector<Task> tasks{
      {.name = "RDMASend", .start_ns = 0, .end_ns = 10, .bytes = 400'000, .payload = true},
      {.name = "RDMASend", .start_ns = 10, .end_ns = 20, .bytes = 400'000, .payload = true},
      {.name = "RDMASend", .start_ns = 20, .end_ns = 30},
      {.name = "Notify_Wait", .start_ns = 30, .end_ns = 2'000'000}};
  add_op("hcom_send__1", tasks);
  // Without its last task the run is not closed, and nothing is known of its time.
  add_op("hcom_send__2", {tasks.begin(), tasks.end() - 1});
  const auto ops = communication_ops(trace_);
  ASSERT_EQ(ops.size(), 2u);
  const Traffic& rdma = traffic(ops[0], Transport::kRdma);
  EXPECT_DOUBLE_EQ(rdma.size_mb, 0.8);
  EXPECT_DOUBLE_EQ(rdma.time_ms, 2);
  EXPECT_DOUBLE_EQ(rdma.large_packet_ratio, 1);
  EXPECT_DOUBLE_EQ(ops[0].time.transit_ms, 2);
  EXPECT_DOUBLE_EQ(ops[0].time.wait_ms, 0);  // The wait is part of the transfer.
  EXPECT_DOUBLE_EQ(traffic(ops[1], Transport::kRdma).size_mb, 0);
  EXPECT_DOUBLE_EQ(ops[1].time.transit_ms, 0);
}

TEST_F(CommunicationTest, OpsBelongToTheStepInWhichTheyStart) {
  add_step(4, 0, 100);
  add_step(5, 90, 200);
  add_op("hcom_allReduce__1", {{"Memcpy", 95, 120, 10}});
  add_op("hcom_receive__2", {{"Memcpy", 150, 160, 10}});
  add_op("hcom_allReduce__3", {{"Memcpy", 300, 310, 10}});
  const auto ops = communication_ops(trace_);
  const auto steps = communication_steps(trace_, ops);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].name, "step4");
  ASSERT_EQ(steps[0].collective.size(), 1u);  // The first step that fits.
  EXPECT_EQ(steps[0].collective[0]->name, "hcom_allReduce__1");
  ASSERT_EQ(steps[1].p2p.size(), 1u);
  EXPECT_TRUE(steps[1].collective.empty());

  trace::clear_rows(trace_.steps());
  const auto all = communication_steps(trace_, ops);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "step");
  EXPECT_EQ(all[0].collective.size(), 2u);
  EXPECT_EQ(all[0].p2p.size(), 1u);
}

TEST_F(CommunicationTest, SummarizesLinksByBandwidth) {
  for (const std::int64_t ns : {2000, 1000, 4000, 5000}) {
    add_op("hcom_reduceScatter__" + std::to_string(ns), {{"Memcpy", 0, ns, 1'000'000}});
  }
  const auto ops = communication_ops(trace_);
  std::vector<const CommunicationOp*> pointers;
  for (const auto& op : ops) pointers.push_back(&op);
  std::vector<std::string> lines;
  for (const LinkSummary& row : link_summaries(pointers, trace::Framework::kPyTorch)) {
    lines.push_back(row.name + " " + std::string(row.op_name));
  }
  EXPECT_EQ(
      lines,
      (std::vector<std::string>{
          "reduce-top1 hcom_reduceScatter__1000", "reduce-middle hcom_reduceScatter__4000",
          "reduce-bottom1 hcom_reduceScatter__5000", "reduce-total ",
          "reduce-bottom2 hcom_reduceScatter__4000", "reduce-bottom3 hcom_reduceScatter__2000"}));
  const CommunicationOp total = total_of(pointers);
  EXPECT_DOUBLE_EQ(traffic(total, Transport::kHccs).size_mb, 4);
  EXPECT_DOUBLE_EQ(traffic(total, Transport::kHccs).bandwidth_gb_s, 333.3333);
}

TEST_F(CommunicationTest, NamesOfFurtherDevicesAreTheirOwn) {
  add_op("hcom_allReduce__1", {{"Memcpy", 0, 1, 10}}, 0);
  add_op("hcom_allReduce__1", {{"Memcpy", 0, 1, 10}}, 3);
  const auto ops = communication_ops(trace_);
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].name, "hcom_allReduce__1");
  EXPECT_EQ(ops[1].name, "hcom_allReduce__1_device3");
}

TEST_F(CommunicationTest, Level0KnowsNoTasks) {
  add_op("hcom_allReduce__1", {{"Memcpy", 0, 1, 10}});
  trace_.session.level = trace::Level::kLevel0;
  EXPECT_TRUE(communication_ops(trace_).empty());
}

}  // namespace
}  // namespace npuprof::analyze
