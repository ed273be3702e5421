#include "analyze/memory_record.h"

#include <gtest/gtest.h>

#include "analyze/operator_allocations.h"
#include "sample_traces.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

using npuprof::testing::device_trace;
using npuprof::testing::kBegin;
using trace::kNone;
using trace::Trace;

void add_framework_event(Trace& trace, std::int64_t time_ns, std::uint8_t component,
                         std::int64_t bytes) {
  auto& events = trace.memory_events();
  trace::resize_rows(events, events.size() + 1);
  events.time_ns.back() = kBegin + time_ns;
  events.device_type.back() = 20;
  events.component.back() = component;
  events.total_allocated_bytes.back() = bytes;
  events.total_reserved_bytes.back() = 2 * bytes;
  events.total_active_bytes.back() = bytes;
  events.stream.back() = 5;
}

void add_cann_event(Trace& trace, std::int64_t time_ns, std::uint64_t address, std::int64_t size,
                    std::uint64_t total) {
  auto& memory = trace.operator_memory();
  trace::resize_rows(memory, memory.size() + 1);
  memory.time_ns.back() = kBegin + time_ns;
  memory.address.back() = address;
  memory.size_bytes.back() = size;
  memory.total_allocated_bytes.back() = total;
  memory.total_reserved_bytes.back() = total;
  memory.device.back() = 1;
}

TEST(MemoryRecord, EachPoolIsFollowedByTheSumOfBoth) {
  Trace trace = device_trace();
  add_framework_event(trace, 20, 0, 100);
  add_framework_event(trace, 30, 1, 7);  // Workspace: no part of the sum.
  add_cann_event(trace, 10, 1, 8, 1000);
  add_cann_event(trace, 20, 2, 8, 2000);  // The framework comes first.
  const PoolMemoryRecords records(trace);
  ASSERT_EQ(records.size(), 7u);
  const std::string_view names[] = {"GE", "PTA+GE", "PTA", "PTA+GE", "GE", "PTA+GE", "WORKSPACE"};
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].component, names[i]) << i;
  EXPECT_EQ(records[1].allocated_bytes, 1000);
  EXPECT_FALSE(records[1].stream);
  EXPECT_EQ(records[3].allocated_bytes, 1100);
  EXPECT_EQ(records[3].reserved_bytes, 1200);
  EXPECT_EQ(records[5].allocated_bytes, 2100);
  EXPECT_EQ(records[5].active_bytes, 100);
  EXPECT_EQ(records[5].stream, 5);
}

TEST(MemoryRecord, ProcessMemoryIsThatOfTheProcessOnly) {
  Trace trace = device_trace();
  npuprof::testing::add_device_memory(trace, 1, 0, 4096);
  npuprof::testing::add_device_memory(trace, 1, 1, 8192);
  const auto records = process_memory_records(trace);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].component, "APP");
  EXPECT_EQ(records[0].reserved_bytes, 2048 + 4096);
}

TEST(CannBlocks, ReleaseGoesWithTheLastAllocationOfItsAddress) {
  Trace trace = device_trace();
  add_cann_event(trace, 1, 16, 8, 8);
  add_cann_event(trace, 2, 32, 8, 16);
  add_cann_event(trace, 3, 16, -8, 8);
  add_cann_event(trace, 4, 48, -8, 0);
  const auto blocks = cann_blocks(trace.operator_memory());
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].release, 2u);
  EXPECT_EQ(blocks[1].release, kNone);
  EXPECT_EQ(blocks[2].allocation, kNone);
  EXPECT_EQ(blocks[2].known(), 3u);
}

}  // namespace
}  // namespace npuprof::analyze
