#include "sim/torch/caching_allocator.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "sim/model/random.h"
#include "sim/simulated.h"
#include "sim/torch/framework_fixture.h"

namespace npuprof::sim {
namespace {

using format::framework::MemoryEvent;
using format::framework::MemoryUsage;
using testing::kMainThread;

constexpr std::int64_t kKiB = 1024;
using testing::kMiB;
constexpr std::int64_t kStream = 2;

class CachingAllocatorTest : public testing::FrameworkFixture {
 protected:
  HostPoint at(std::int64_t time_ns) { return {time_ns, kMainThread}; }
  std::vector<MemoryUsage> usages() {
    return records<MemoryUsage>(format::framework::kMemoryUsageFile);
  }

  DriverMemory memory_{1024 * kMiB};
  CachingAllocator allocator_{memory_, open(), 3};
};

TEST_F(CachingAllocatorTest, RoundsToUnitsAndReservesSegments) {
  const auto tiny = allocator_.allocate(1, kStream, at(10));
  ASSERT_TRUE(tiny);
  EXPECT_EQ(allocator_.block_bytes(*tiny), 512);
  EXPECT_EQ(allocator_.totals().reserved_bytes, 2 * kMiB);
  const auto padded = allocator_.allocate(512 * kKiB, kStream, at(20));
  EXPECT_EQ(allocator_.block_bytes(*padded), 512 * kKiB + 512);
  EXPECT_EQ(allocator_.totals().reserved_bytes, 2 * kMiB) << "cut from the same segment";
  const auto medium = allocator_.allocate(5 * kMiB, kStream, at(30));
  EXPECT_EQ(allocator_.totals().reserved_bytes, 22 * kMiB);
  EXPECT_EQ(allocator_.block_bytes(*medium), 5 * kMiB + 512);
  const auto large = allocator_.allocate(15 * kMiB, kStream, at(40));
  EXPECT_EQ(allocator_.totals().reserved_bytes, 38 * kMiB);
  EXPECT_EQ(allocator_.block_bytes(*large), 16 * kMiB) << "a rest below 1 MiB stays";
  EXPECT_EQ(memory_.reserved_bytes(), 38 * kMiB);
}

TEST_F(CachingAllocatorTest, ReportsBlockFreeBeforeFree) {
  const auto block = allocator_.allocate(1000, kStream, at(1000));
  allocator_.release(*block, at(2000));
  const auto found = usages();
  ASSERT_EQ(found.size(), 3u);
  const MemoryEvent events[] = {MemoryEvent::kMalloc, MemoryEvent::kBlockFree, MemoryEvent::kFree};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& usage = found[i].fixed;
    EXPECT_EQ(usage.memory_event(), events[i]);
    EXPECT_EQ(usage.address, static_cast<std::int64_t>(*block));
    EXPECT_EQ(usage.time, static_cast<std::int64_t>(ticks(i == 0 ? 1000 : 2000)));
    EXPECT_EQ(usage.size, i == 0 ? 1536 : -1536);
    EXPECT_EQ(usage.total_allocated, i == 0 ? 1536 : 0);
    EXPECT_EQ(usage.total_active, i == 0 ? 1536 : 0);
    EXPECT_EQ(usage.total_reserved, 2 * kMiB);
    EXPECT_EQ(usage.stream, kStream);
    EXPECT_EQ(usage.device(), format::framework::DeviceType::kNpu);
    EXPECT_EQ(usage.device_index, 3);
    EXPECT_EQ(usage.memory_component(), format::framework::MemoryComponent::kCachingAllocator);
    EXPECT_EQ(usage.allocator, 0);
    EXPECT_EQ(usage.thread_id, kMainThread);
    EXPECT_EQ(usage.process_id, testing::kProcess);
  }
}

TEST_F(CachingAllocatorTest, BlockUsedByAnotherStreamStaysActive) {
  const auto block = allocator_.allocate(3 * kMiB, kStream, at(1000));
  allocator_.release(*block, at(2000), 5000);
  EXPECT_EQ(allocator_.totals().allocated_bytes, 0);
  EXPECT_EQ(allocator_.totals().active_bytes, 3 * kMiB + 512);
  const auto other = allocator_.allocate(3 * kMiB, kStream, at(4000));
  EXPECT_NE(other, block) << "still in use";
  const auto again = allocator_.allocate(3 * kMiB, kStream, at(5000));
  EXPECT_EQ(again, block);
  std::vector<MemoryEvent> events;
  for (const auto& usage : usages()) events.push_back(usage.fixed.memory_event());
  EXPECT_EQ(events, (std::vector<MemoryEvent>{MemoryEvent::kMalloc, MemoryEvent::kFree,
                                              MemoryEvent::kMalloc, MemoryEvent::kBlockFree,
                                              MemoryEvent::kMalloc}));
}

TEST_F(CachingAllocatorTest, MergesFreeNeighbours) {
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 5; ++i)
    blocks.push_back(*allocator_.allocate(4 * kMiB - 512, kStream, at(i)));
  EXPECT_EQ(allocator_.totals().reserved_bytes, 20 * kMiB);
  for (const int i : {1, 3, 2, 0, 4}) {
    allocator_.release(blocks[static_cast<std::size_t>(i)], at(10 + i));
  }
  const auto whole = allocator_.allocate(20 * kMiB - 512, kStream, at(100));
  EXPECT_EQ(whole, blocks[0]);
  EXPECT_EQ(allocator_.totals().reserved_bytes, 20 * kMiB);
}

TEST_F(CachingAllocatorTest, StreamsDoNotShareBlocks) {
  const auto block = allocator_.allocate(2 * kMiB, kStream, at(1));
  allocator_.release(*block, at(2));
  EXPECT_NE(allocator_.allocate(2 * kMiB, kStream + 1, at(3)), block);
  EXPECT_EQ(allocator_.allocate(2 * kMiB, kStream, at(4)), block);
}

TEST_F(CachingAllocatorTest, TakesTheSmallestBlockThatFits) {
  const auto large = allocator_.allocate(100 * kMiB, kStream, at(1));
  const auto small = allocator_.allocate(40 * kMiB, kStream, at(2));
  allocator_.release(*large, at(3));
  allocator_.release(*small, at(4));
  EXPECT_EQ(allocator_.allocate(38 * kMiB, kStream, at(5)), small);
}

TEST_F(CachingAllocatorTest, GivesFreeSegmentsBackWhenTheDeviceIsFull) {
  const auto first = allocator_.allocate(600 * kMiB, kStream, at(1));
  ASSERT_TRUE(first);
  EXPECT_FALSE(allocator_.allocate(500 * kMiB, kStream, at(2)));
  allocator_.release(*first, at(3));
  EXPECT_TRUE(allocator_.allocate(700 * kMiB, kStream, at(4)));
  EXPECT_EQ(allocator_.totals().reserved_bytes, 702 * kMiB);
  EXPECT_EQ(memory_.reserved_bytes(), 702 * kMiB);
}

TEST_F(CachingAllocatorTest, IgnoresAddressesThatAreNotInUse) {
  const auto block = allocator_.allocate(1000, kStream, at(1));
  allocator_.release(12345, at(2));
  allocator_.release(*block, at(3));
  allocator_.release(*block, at(4));
  EXPECT_EQ(usages().size(), 3u);
}

// Random use; every total in every record must be what the records themselves add up to, and blocks
// in use must never overlap.
TEST_F(CachingAllocatorTest, TotalsAndAddressesStayConsistentUnderRandomUse) {
  Random random(5);
  std::map<std::uint64_t, std::int64_t> active;  // Address to size of blocks not in a pool.
  std::vector<std::uint64_t> held;
  for (int step = 0; step < 20'000; ++step) {
    const std::int64_t now = step * 100;
    if (!held.empty() && random.below(100) < 48) {
      const std::size_t which = random.below(held.size());
      allocator_.release(held[which], at(now), random.below(4) == 0 ? now + 3000 : 0);
      held[which] = held.back();
      held.pop_back();
    } else {
      const std::int64_t bytes = std::int64_t{1} << random.between(4, 24);
      const auto block =
          allocator_.allocate(bytes + random.between(0, 999), random.between(1, 2), at(now));
      if (block) held.push_back(*block);
    }
    ASSERT_LE(allocator_.totals().active_bytes, allocator_.totals().reserved_bytes);
  }

  std::int64_t allocated = 0;
  std::int64_t active_bytes = 0;
  std::int64_t last_time = 0;
  for (const auto& usage : usages()) {
    const auto& fixed = usage.fixed;
    EXPECT_GE(fixed.time, last_time);
    last_time = fixed.time;
    const auto address = static_cast<std::uint64_t>(fixed.address.get());
    // In the direct path the allocated total drops with the block free that precedes the free.
    const auto event = fixed.memory_event();
    if (event == MemoryEvent::kMalloc) {
      allocated += fixed.size;
      active_bytes += fixed.size;
      const auto next = active.lower_bound(address);
      if (next != active.end()) {
        ASSERT_LE(address + static_cast<std::uint64_t>(fixed.size.get()), next->first);
      }
      if (next != active.begin()) {
        const auto before = std::prev(next);
        ASSERT_LE(before->first + static_cast<std::uint64_t>(before->second), address);
      }
      active[address] = fixed.size;
      ASSERT_EQ(fixed.total_allocated, allocated);
    } else if (event == MemoryEvent::kBlockFree) {
      active_bytes += fixed.size;
      ASSERT_EQ(active[address], -fixed.size);
      active.erase(address);
    } else {
      allocated += fixed.size;
      ASSERT_EQ(fixed.total_allocated, allocated);
    }
    ASSERT_EQ(fixed.total_active, active_bytes);
    ASSERT_GE(fixed.total_reserved, fixed.total_active);
  }
  EXPECT_EQ(allocated, allocator_.totals().allocated_bytes);
  EXPECT_EQ(active_bytes, allocator_.totals().active_bytes);
}

}  // namespace
}  // namespace npuprof::sim
