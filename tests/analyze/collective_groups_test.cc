#include "analyze/collective_groups.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {
namespace {

void add_grouped(trace::Trace& trace, std::int64_t start_ns, std::int64_t end_ns,
                 std::string_view name = "op", std::uint16_t device = 0) {
  auto& ops = trace.collective_ops();
  resize_rows(ops, ops.size() + 1);
  ops.start_ns.back() = start_ns;
  ops.end_ns.back() = end_ns;
  ops.name.back() = trace.strings.intern(name);
  ops.device.back() = device;
}

void add_interval(trace::Trace& trace, std::int64_t start_ns, std::int64_t end_ns,
                  trace::OverlapKind kind = trace::OverlapKind::kComputing) {
  auto& intervals = trace.overlap_intervals();
  resize_rows(intervals, intervals.size() + 1);
  intervals.start_ns.back() = start_ns;
  intervals.end_ns.back() = end_ns;
  intervals.kind.back() = static_cast<std::uint8_t>(kind);
}

TEST(CollectiveGroups, ExposedIsWhatNoComputingHides) {
  trace::Trace trace;
  add_interval(trace, 10, 20);
  add_interval(trace, 30, 40);
  add_interval(trace, 0, 100, trace::OverlapKind::kCommunication);
  add_grouped(trace, 0, 10);            // Before.
  add_grouped(trace, 5, 15);            // Half.
  add_grouped(trace, 12, 18);           // Within.
  add_grouped(trace, 0, 100);           // Around both.
  add_grouped(trace, 15, 35);           // From one into the other.
  add_grouped(trace, 50, 40);           // Backwards.
  add_grouped(trace, 12, 18, "op", 1);  // A device that computes nothing.
  EXPECT_EQ(exposed_times(trace).value(), (std::vector<std::int64_t>{10, 5, 0, 80, 10, 0, 6}));
}

TEST(CollectiveGroups, NothingIsKnownOfOverlapWithoutIntervals) {
  trace::Trace trace;
  add_grouped(trace, 0, 10);
  EXPECT_EQ(exposed_times(trace), std::nullopt);
  const auto groups = collective_groups(trace, {});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].exposed_ns, std::nullopt);
  EXPECT_FALSE(groups[0].details);
}

TEST(CollectiveGroups, NamesTellTypesThatWereNotRecorded) {
  trace::Trace trace;
  add_grouped(trace, 0, 10, "hcom_allReduce__967_0_1");
  add_grouped(trace, 10, 20, "ncclKernel_AllReduce");
  add_grouped(trace, 20, 30, "hcom_allReduce__967_1_1");
  EXPECT_EQ(collective_type(trace, 0), "hcom_allReduce_");
  EXPECT_EQ(collective_type(trace, 1), "ncclKernel_AllReduce");
  const auto groups = collective_groups(trace, {});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].times.count, 2u);
  EXPECT_EQ(groups[0].times.longest, 0u);
}

TEST(CollectiveGroups, DetailsBelongToTheCollectiveOfTheirTasks) {
  trace::Trace trace;
  for (int i = 0; i < 3; ++i) add_grouped(trace, 10 * i, 10 * i + 10);
  auto& tasks = trace.collective_tasks();
  resize_rows(tasks, 4);
  tasks.op = {0, 0, 2, 2};
  std::vector<CommunicationOp> ops(2);
  ops[0].time.wait_ms = 1;
  ops[1].time.transit_ms = 2;
  const auto details = details_of_collectives(trace, ops);
  ASSERT_EQ(details.size(), 3u);
  EXPECT_EQ(details[0], &ops[0]);
  EXPECT_EQ(details[1], nullptr);
  EXPECT_EQ(details[2], &ops[1]);
  // Of a single kernel no parts are known.
  ops[1].time.transit_ms = 0;
  EXPECT_EQ(details_of_collectives(trace, ops)[2], nullptr);
}

TEST(CollectiveGroups, ImpossibleTimesStopAtTheEndOfTheirType) {
  trace::Trace trace;
  add_interval(trace, INT64_MIN, INT64_MAX);
  add_grouped(trace, INT64_MIN, INT64_MAX);
  add_grouped(trace, INT64_MAX, INT64_MIN);
  const auto groups = collective_groups(trace, {});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].exposed_ns, 0);
}

}  // namespace
}  // namespace npuprof::analyze
