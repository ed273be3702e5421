#include "answers/communication_answer.h"

#include <gtest/gtest.h>

#include "answers/answer_trace.h"
#include "format/host/enumerations.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::answers {
namespace {

using format::host::HcclLink;
using format::host::HcclTransport;
using testing::AnswerTrace;
using testing::says;
using testing::TableView;

constexpr std::int64_t kMs = 1'000'000;

struct PartOfCollective {
  std::string_view name;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint64_t bytes = 0;
  std::uint32_t task = trace::kNone;
};

void add_part(AnswerTrace& trace, std::uint32_t collective, const PartOfCollective& part) {
  auto& tasks = trace->collective_tasks();
  const std::uint32_t row = AnswerTrace::new_row(tasks);
  tasks.op[row] = collective;
  tasks.task[row] = part.task;
  tasks.name[row] = trace.text(part.name);
  tasks.start_ns[row] = part.start_ns;
  tasks.end_ns[row] = part.end_ns;
  tasks.size_bytes[row] = part.bytes;
  tasks.is_master[row] = 1;
  tasks.rdma_type[row] = trace::kNone;
  tasks.link_type[row] = static_cast<std::uint32_t>(HcclLink::kHccs);
  tasks.transport_type[row] = static_cast<std::uint32_t>(HcclTransport::kSdma);
}

TEST(CommunicationMode, SaysWhatIsMissing) { testing::expect_no_data(kCommunicationMode); }

TEST(CommunicationMode, AddsUpByTypeAndGroup) {
  AnswerTrace trace;
  trace.add_collective(0, 10 * kMs, "hcom_allReduce__1_0_1", "hcom_allReduce_", "77");
  trace.add_collective(20 * kMs, 40 * kMs, "hcom_allReduce__1_1_1", "hcom_allReduce_", "77");
  trace.add_collective(50 * kMs, 51 * kMs, "hcom_allReduce__2_0_1", "hcom_allReduce_", "88");
  trace->collective_ops().group_name[2] = trace.text("dp");
  trace->collective_ops().rank_size[2] = 8;
  trace.add_computing(5 * kMs, 30 * kMs);
  const auto answer = trace.ask(kCommunicationMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "communication");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text(0, "group"), "77");
  EXPECT_EQ(table.number(0, "count"), 2);
  EXPECT_EQ(table.number(0, "total"), 30 * kMs);
  EXPECT_EQ(table.number(0, "mean"), 15 * kMs);
  EXPECT_EQ(table.number(0, "not_overlapped"), 15 * kMs);
  EXPECT_EQ(table.real(0, "not_overlapped_share"), 0.5);
  EXPECT_TRUE(table.absent(0, "ranks"));
  EXPECT_TRUE(table.absent(0, "wait_share"));
  EXPECT_EQ(table.text(1, "group"), "dp");
  EXPECT_EQ(table.number(1, "ranks"), 8);
  EXPECT_TRUE(says(*answer, "Collectives take 31.0 ms; 16.0 ms of that (51.6 %) is not hidden"));
  EXPECT_EQ(testing::find_table(*answer, "communication_bandwidth"), nullptr);
}

TEST(CommunicationMode, WithoutKnowingWhenDevicesComputeNothingIsSaidOfIt) {
  AnswerTrace trace;
  trace.add_collective(0, 10 * kMs, "hcom_allReduce__1_0_1");
  const auto answer = trace.ask(kCommunicationMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "communication");
  // The type comes from the name.
  EXPECT_EQ(table.text(0, "type"), "hcom_allReduce_");
  EXPECT_TRUE(table.absent(0, "not_overlapped"));
  EXPECT_FALSE(says(*answer, "hidden"));
}

TEST(CommunicationMode, TellsWaitTransitAndBandwidth) {
  AnswerTrace trace;
  const std::uint32_t op = trace.add_collective(0, 10 * kMs, "hcom_allReduce__1_0_1", "allReduce");
  add_part(trace, op, {"Notify_Wait", 0, 6 * kMs});
  add_part(trace, op, {"Memcpy", 6 * kMs, 8 * kMs, 40'000'000});
  add_part(trace, op, {"Memcpy", 8 * kMs, 10 * kMs, 20'000'000});
  const auto answer = trace.ask(kCommunicationMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "communication");
  EXPECT_EQ(table.number(0, "wait"), 6 * kMs);
  EXPECT_EQ(table.number(0, "transit"), 4 * kMs);
  EXPECT_DOUBLE_EQ(table.real(0, "wait_share"), 0.6);
  EXPECT_TRUE(says(*answer, "60.0 % of wait and transit is waiting for other ranks: look for a"));
  // Not twice, as SDMA and as HCCS.
  const TableView bandwidths(*answer, "communication_bandwidth");
  ASSERT_EQ(bandwidths.size(), 1u);
  EXPECT_EQ(bandwidths.text(0, "transport"), "HCCS");
  EXPECT_EQ(bandwidths.number(0, "size"), 60'000'000);
  EXPECT_EQ(bandwidths.number(0, "time"), 4 * kMs);
  EXPECT_DOUBLE_EQ(bandwidths.real(0, "bandwidth"), 15);
  EXPECT_EQ(bandwidths.number(0, "packets"), 2);
  EXPECT_DOUBLE_EQ(bandwidths.real(0, "small_packets"), 0.5);
}

TEST(CommunicationMode, ShowsWhereTheLongestWere) {
  AnswerTrace trace;
  trace.add_step(3, 0, 100);
  trace.add_step(4, 100, 300);
  const std::uint32_t outer = trace.add_op(0, 9, "c10d::allreduce_", 1, "train.py(3): step;main");
  const std::uint32_t inner = trace.add_op(1, 8, "HcclAllreduce");
  trace->framework_ops().parent[inner] = outer;
  trace.add_collective(10, 30, "short");
  const std::uint32_t longest = trace.add_collective(110, 190, "long");
  const std::uint32_t task = trace.add_task(110, 190);
  add_part(trace, longest, {"Memcpy", 110, 190, 8, task});
  trace.launch(inner, task);
  const auto answer = trace.ask(kCommunicationMode);
  ASSERT_TRUE(answer.ok());
  const TableView table(*answer, "communication_longest");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text(0, "name"), "long");
  EXPECT_EQ(table.number(0, "step"), 4);
  EXPECT_EQ(table.number(0, "start"), 110);
  EXPECT_EQ(table.number(0, "duration"), 80);
  EXPECT_EQ(table.number(0, "transit"), 80);
  EXPECT_EQ(table.text(0, "operator"), "HcclAllreduce");
  EXPECT_EQ(table.text(0, "stack"), "train.py(3): step;main");
  EXPECT_EQ(table.text(1, "name"), "short");
  EXPECT_EQ(table.number(1, "step"), 3);
  EXPECT_TRUE(table.absent(1, "transit"));
  EXPECT_TRUE(table.absent(1, "operator"));
}

}  // namespace
}  // namespace npuprof::answers
