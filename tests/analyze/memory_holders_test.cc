#include "analyze/memory_holders.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "link/framework/memory_owner.h"
#include "link/framework_trace.h"
#include "trace/framework/allocations.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

constexpr MemoryDevice kFirstNpu{20, 0};

class MemoryHoldersTest : public ::testing::Test {
 protected:
  std::uint32_t malloc(std::int64_t time_ns, std::uint64_t address, std::int64_t bytes) {
    const std::uint32_t row = trace_.add_memory(0, time_ns, address);
    trace_->memory_events().size_bytes[row] = bytes;
    return row;
  }
  void free(std::int64_t time_ns, std::uint64_t address) { trace_.add_memory(1, time_ns, address); }
  std::vector<HeldBlock> blocks() {
    link::link_allocations(*trace_);
    return held_blocks(*trace_);
  }

  link::testing::FrameworkTrace trace_;
};

TEST_F(MemoryHoldersTest, ABlockLivesUntilItIsFreed) {
  malloc(10, 1, 100);
  malloc(20, 2, 300);
  free(30, 1);
  const auto all = blocks();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(blocks_alive_at(all, kFirstNpu, 9).size(), 0u);
  EXPECT_EQ(blocks_alive_at(all, kFirstNpu, 10).size(), 1u);
  const auto both = blocks_alive_at(all, kFirstNpu, 29);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].bytes, 300);
  EXPECT_EQ(blocks_alive_at(all, kFirstNpu, 30).size(), 1u);
  EXPECT_EQ(blocks_alive_at(all, MemoryDevice{20, 1}, 29).size(), 0u);
}

TEST_F(MemoryHoldersTest, AnAddressThatIsHandedOutAgainWasFreed) {
  malloc(10, 1, 100);
  malloc(50, 1, 200);
  const auto all = blocks();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].free_ns, 50);
  EXPECT_EQ(all[1].free_ns, kAfterProfile);
  // Results do not tell addresses: 0 is not one.
  trace_->memory_events().address = {0, 0};
  EXPECT_EQ(blocks()[0].free_ns, kAfterProfile);
}

// The allocator of scratch memory tells of a block before it is in use and again when it is.
TEST_F(MemoryHoldersTest, WhatIsReservedAloneIsNotAllocated) {
  auto& events = trace_->memory_events();
  const std::uint32_t reserved = malloc(10, 1, 100);
  const std::uint32_t used = malloc(10, 1, 100);
  free(12, 1);
  for (const std::uint32_t row : {reserved, used}) events.component[row] = 1;
  events.total_allocated_bytes[reserved] = 0;
  events.total_allocated_bytes[used] = 100;
  const auto all = blocks();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].pool, PoolKind::kWorkspace);
  EXPECT_EQ(all[0].free_ns, 12);
}

TEST_F(MemoryHoldersTest, BlocksOfCannAndOfTheHostAreThereToo) {
  const std::uint32_t host = malloc(10, 5, 64);
  trace_->memory_events().device_type[host] = 0;
  auto& memory = trace_->operator_memory();
  resize_rows(memory, 3);
  memory.time_ns = {20, 40, 50};
  memory.address = {7, 7, 8};
  memory.size_bytes = {32, -32, -16};
  memory.op_name[0] = memory.op_name[1] = trace_->strings.intern("Conv2D");
  const auto all = blocks();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].pool, PoolKind::kCann);
  EXPECT_EQ(all[0].free_ns, 40);
  EXPECT_EQ(trace_->strings.view(all[0].owner), "Conv2D");
  EXPECT_EQ(all[1].device.type, 0);
  // Releases of the host are often not recorded.
  EXPECT_TRUE(kept_memory(*trace_, all).empty());
}

TEST_F(MemoryHoldersTest, NamesOfResultsStandForOperators) {
  malloc(10, 1, 100);
  link::link_allocations(*trace_);
  trace_->allocations().owner_name[0] = trace_->strings.intern("aten::mm");
  const auto kept = kept_memory(*trace_, held_blocks(*trace_));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(trace_->strings.view(kept[0].owner), "aten::mm");
  EXPECT_EQ(kept[0].bytes, 100);
  EXPECT_EQ(kept[0].steps, 0u);
}

}  // namespace
}  // namespace npuprof::analyze
