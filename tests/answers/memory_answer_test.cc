#include "answers/memory_answer.h"

#include <gtest/gtest.h>

#include "answers/answer_trace.h"
#include "link/framework/memory_owner.h"
#include "sample_traces.h"
#include "trace/device/module_memory.h"
#include "trace/framework/memory_events.h"

namespace npuprof::answers {
namespace {

using testing::AnswerTrace;
using testing::says;
using testing::TableView;

constexpr std::int64_t kMb = 1024 * 1024;

struct AllocatorTotals {
  std::int64_t allocated;
  std::int64_t reserved;
};

// A malloc, or a free if the size is negative.
void add_event(AnswerTrace& trace, std::int64_t time_ns, std::uint64_t address, std::int64_t bytes,
               AllocatorTotals totals, std::uint32_t owner = trace::kNone) {
  auto& events = trace->memory_events();
  const std::uint32_t row = AnswerTrace::new_row(events);
  events.time_ns[row] = time_ns;
  events.address[row] = address;
  events.size_bytes[row] = bytes;
  events.kind[row] = bytes < 0 ? 1 : 0;
  events.device_type[row] = 20;
  events.total_allocated_bytes[row] = totals.allocated;
  events.total_reserved_bytes[row] = totals.reserved;
  events.owner[row] = owner;
}

TEST(MemoryMode, SaysWhatIsMissing) { testing::expect_no_data(kMemoryMode); }

TEST(MemoryMode, TellsPeaksWithTheirTimeAndWhoHoldsThem) {
  AnswerTrace trace;
  trace.add_step(9, 0, 1000);
  const std::uint32_t mm = trace.add_op(0, 500, "aten::mm", 1, "model.py(7): forward");
  add_event(trace, 100, 1, 30 * kMb, {130 * kMb, 200 * kMb}, mm);
  add_event(trace, 200, 2, 20 * kMb, {150 * kMb, 200 * kMb});
  add_event(trace, 300, 1, -30 * kMb, {120 * kMb, 200 * kMb});
  add_event(trace, 400, 3, 10 * kMb, {130 * kMb, 220 * kMb}, mm);
  link::link_allocations(*trace);
  const auto answer = trace.ask(kMemoryMode);
  ASSERT_TRUE(answer.ok());
  const TableView pools(*answer, "memory_pools");
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools.text(0, "device"), "NPU:0");
  EXPECT_EQ(pools.text(0, "pool"), "PTA");
  EXPECT_EQ(pools.number(0, "allocated_peak"), 150 * kMb);
  EXPECT_EQ(pools.number(0, "allocated_peak_at"), 200);
  EXPECT_EQ(pools.number(0, "reserved_peak"), 220 * kMb);
  EXPECT_EQ(pools.number(0, "reserved_peak_at"), 400);
  EXPECT_EQ(pools.number(0, "gap_worst"), 90 * kMb);
  EXPECT_EQ(pools.number(0, "gap_worst_at"), 400);
  EXPECT_EQ(pools.number(0, "gap_mean"), ((70 + 50 + 80) * kMb + 1) / 3);

  const TableView blocks(*answer, "memory_at_peak");
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks.text(0, "operator"), "aten::mm");
  EXPECT_EQ(blocks.number(0, "size"), 30 * kMb);
  EXPECT_EQ(blocks.real(0, "share"), 0.2);
  EXPECT_EQ(blocks.number(0, "age"), 100);
  EXPECT_EQ(blocks.number(0, "life"), 200);
  EXPECT_EQ(blocks.number(0, "step"), 9);
  EXPECT_EQ(blocks.text(0, "stack"), "model.py(7): forward");
  EXPECT_TRUE(blocks.absent(1, "operator"));
  EXPECT_TRUE(blocks.absent(1, "life"));
  EXPECT_TRUE(says(*answer,
                   "NPU:0: at most 150 MB are allocated, 100 ns after the first event; "
                   "100 MB of that are from before the profile; the largest block since "
                   "then is 30.0 MB of aten::mm."));
  EXPECT_TRUE(says(*answer, "up to 90.0 MB are reserved and not allocated (40.9 %"));
}

TEST(MemoryMode, ListsWhatIsNeverFreedByOperator) {
  AnswerTrace trace;
  const std::uint32_t mm = trace.add_op(0, 500, "aten::mm");
  const std::uint32_t add = trace.add_op(600, 700, "aten::add");
  for (int step = 0; step < 3; ++step) trace.add_step(step, 1000 * step, 1000 * step + 1000);
  for (int step = 0; step < 3; ++step) {
    add_event(trace, 1000 * step + 10, 10 + step, kMb, {kMb, 0}, mm);
  }
  add_event(trace, 3500, 20, 5 * kMb, {kMb, 0}, add);
  add_event(trace, 3600, 21, 50 * kMb, {kMb, 0}, add);
  add_event(trace, 3700, 21, -50 * kMb, {kMb, 0});
  link::link_allocations(*trace);
  const auto answer = trace.ask(kMemoryMode);
  ASSERT_TRUE(answer.ok());
  const TableView kept(*answer, "memory_kept");
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept.text(0, "operator"), "aten::add");
  EXPECT_EQ(kept.number(0, "size"), 5 * kMb);
  EXPECT_TRUE(kept.absent(0, "steps"));
  EXPECT_EQ(kept.text(1, "operator"), "aten::mm");
  EXPECT_EQ(kept.number(1, "blocks"), 3);
  EXPECT_EQ(kept.number(1, "steps"), 3);
  EXPECT_EQ(kept.number(1, "first"), 10);
  EXPECT_EQ(kept.number(1, "last"), 2010);
  EXPECT_TRUE(says(*answer, "aten::mm keeps memory in 3 of 3 steps (3.00 MB in 3 blocks)"));
  // Nothing was told of what is reserved.
  EXPECT_TRUE(TableView(*answer, "memory_pools").absent(0, "reserved_peak"));
}

TEST(MemoryMode, ComponentsAndDevicesAnswerWithoutEventsOfAllocators) {
  AnswerTrace trace;
  npuprof::testing::add_device_memory(*trace, 1, 0, 1000);
  npuprof::testing::add_device_memory(*trace, 2, 0, 3000);
  npuprof::testing::add_device_memory(*trace, 3, 0, 2000);
  auto& modules = trace->module_memory();
  resize_rows(modules, 2);
  modules.module = {3, 3};
  modules.device = {1, 1};
  modules.reserved_bytes = {9000, -1};
  const auto answer = trace.ask(kMemoryMode);
  ASSERT_TRUE(answer.ok());
  const TableView components(*answer, "memory_components");
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components.text(0, "component"), "HCCL");
  EXPECT_EQ(components.number(0, "peak"), 9000);
  EXPECT_EQ(components.text(1, "component"), "(process)");
  EXPECT_EQ(components.number(1, "peak"), 5048);
  EXPECT_EQ(components.number(1, "peak_at"), npuprof::testing::kBegin + 2'000'000);
  EXPECT_EQ(components.number(1, "first"), 3048);
  EXPECT_EQ(components.number(1, "last"), 4048);
}

}  // namespace
}  // namespace npuprof::answers
