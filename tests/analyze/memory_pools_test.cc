#include "analyze/memory_pools.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "link/framework_trace.h"
#include "trace/framework/pool_totals.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

class MemoryPoolsTest : public ::testing::Test {
 protected:
  void add(std::int64_t time_ns, std::int64_t allocated, std::int64_t reserved,
           std::uint8_t component = 0, std::uint8_t device_type = 20) {
    const std::uint32_t row = trace_.add_memory(0, time_ns, 1);
    trace_->memory_events().total_allocated_bytes[row] = allocated;
    trace_->memory_events().total_reserved_bytes[row] = reserved;
    trace_->memory_events().component[row] = component;
    trace_->memory_events().device_type[row] = device_type;
  }
  void add_cann(std::int64_t time_ns, std::uint64_t allocated, std::uint64_t reserved,
                std::uint32_t device = 0) {
    auto& memory = trace_->operator_memory();
    resize_rows(memory, memory.size() + 1);
    memory.time_ns.back() = time_ns;
    memory.total_allocated_bytes.back() = allocated;
    memory.total_reserved_bytes.back() = reserved;
    memory.device.back() = device;
  }

  link::testing::FrameworkTrace trace_;
};

TEST_F(MemoryPoolsTest, TotalsOfAPoolServeWhereNoBlocksWereRecorded) {
  auto& totals = trace_->pool_totals();
  resize_rows(totals, 2);
  totals.time_ns = {20, 10};
  totals.allocated_bytes = {50, 70};
  totals.reserved_bytes = {100, 90};
  const auto pools = memory_pools(*trace_);
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].kind, PoolKind::kCaching);
  EXPECT_EQ(pools[0].most_allocated.time_ns, 10);
  EXPECT_EQ(pools[0].last.reserved_bytes, 100);
  // Blocks tell totals too: they are not counted twice.
  add(30, 60, 100);
  EXPECT_EQ(memory_pools(*trace_).at(0).most_allocated.allocated_bytes, 60);
}

TEST_F(MemoryPoolsTest, PeaksAreTheFirstOfEqualMoments) {
  add(30, 50, 100);
  add(10, 20, 100);
  add(20, 50, 80);
  add(40, 10, 90);
  const auto pools = memory_pools(*trace_);
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].first.time_ns, 10);
  EXPECT_EQ(pools[0].last.allocated_bytes, 10);
  EXPECT_EQ(pools[0].most_allocated.time_ns, 20);
  EXPECT_EQ(pools[0].most_reserved.time_ns, 10);
  EXPECT_EQ(pools[0].largest_gap.time_ns, 10);
  EXPECT_EQ(pools[0].largest_gap.gap_bytes(), 80);
  EXPECT_DOUBLE_EQ(pools[0].mean_gap_bytes, (80 + 30 + 50) / 3.0);
}

TEST_F(MemoryPoolsTest, SeveralPoolsOfADeviceHaveASum) {
  trace_->devices.emplace_back().id = 4;
  add(10, 100, 200);
  add(20, 30, 40, 1);
  add_cann(30, 5, 6, 4);
  add(40, 10, 200);
  const auto pools = memory_pools(*trace_);
  ASSERT_EQ(pools.size(), 4u);
  EXPECT_EQ(pool_name(pools[0].kind), "PTA");
  EXPECT_EQ(pool_name(pools[1].kind), "WORKSPACE");
  EXPECT_EQ(pool_name(pools[2].kind), "GE");
  EXPECT_EQ(pools[3].kind, PoolKind::kAll);
  // The only device of the profile, whatever the allocator calls it.
  EXPECT_EQ(pools[3].device.index, 4);
  EXPECT_EQ(pools[3].most_allocated.allocated_bytes, 135);
  EXPECT_EQ(pools[3].most_allocated.time_ns, 30);
  EXPECT_EQ(pools[3].most_reserved.reserved_bytes, 246);
  EXPECT_EQ(pools[3].last.allocated_bytes, 45);
}

TEST_F(MemoryPoolsTest, PoolsThatNeverTellATotalAreLeftOut) {
  add(10, 0, 0, 0, 0);
  EXPECT_TRUE(memory_pools(*trace_).empty());
  add(20, 7, 0, 0, 0);
  const auto pools = memory_pools(*trace_);
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].device.type, 0);
  EXPECT_FALSE(pools[0].has_reserved());
}

TEST_F(MemoryPoolsTest, ImpossibleTotalsStopAtTheEndOfTheirType) {
  add(INT64_MIN, INT64_MAX, INT64_MIN);
  add(INT64_MAX, INT64_MIN, INT64_MAX);
  add_cann(0, UINT64_MAX, UINT64_MAX);
  const auto pools = memory_pools(*trace_);
  ASSERT_EQ(pools.size(), 3u);
  EXPECT_EQ(pools[2].most_allocated.allocated_bytes, INT64_MAX);
  EXPECT_EQ(pools[0].largest_gap.gap_bytes(), INT64_MAX);
}

}  // namespace
}  // namespace npuprof::analyze
