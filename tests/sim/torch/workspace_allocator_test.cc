#include "sim/torch/workspace_allocator.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/simulated.h"
#include "sim/torch/framework_fixture.h"

namespace npuprof::sim {
namespace {

using format::framework::MemoryComponent;
using format::framework::MemoryEvent;
using format::framework::MemoryUsage;

using testing::kMiB;

class WorkspaceAllocatorTest : public testing::FrameworkFixture {
 protected:
  // "event size allocated reserved" in MiB.
  std::vector<std::string> lines() {
    std::vector<std::string> found;
    for (const auto& usage : records<MemoryUsage>(format::framework::kMemoryUsageFile)) {
      const auto& fixed = usage.fixed;
      EXPECT_EQ(fixed.memory_component(), MemoryComponent::kWorkspaceAllocator);
      EXPECT_EQ(fixed.total_active, fixed.total_allocated);
      const bool is_malloc = fixed.memory_event() == MemoryEvent::kMalloc;
      EXPECT_TRUE(is_malloc || fixed.memory_event() == MemoryEvent::kFree);
      found.push_back(std::string(is_malloc ? "malloc " : "free ") +
                      std::to_string(fixed.size / kMiB) + " " +
                      std::to_string(fixed.total_allocated / kMiB) + " " +
                      std::to_string(fixed.total_reserved / kMiB));
    }
    return found;
  }

  DriverMemory memory_{64 * kMiB};
  WorkspaceAllocator allocator_{memory_, open(), 0};
};

TEST_F(WorkspaceAllocatorTest, ABlockIsReservedOnceAndUsedAgain) {
  const auto first = allocator_.allocate(3 * kMiB, 2, {10, 1});
  allocator_.release(2, {20, 1});
  const auto second = allocator_.allocate(kMiB, 2, {30, 1});
  allocator_.release(2, {40, 1});
  allocator_.release(2, {50, 1});
  EXPECT_TRUE(first);
  EXPECT_EQ(first, second);
  EXPECT_EQ(lines(), (std::vector<std::string>{"malloc 4 0 4", "malloc 4 4 4", "free -4 0 4",
                                               "malloc 4 4 4", "free -4 0 4"}));
}

TEST_F(WorkspaceAllocatorTest, AGrowingBlockGivesItsOldMemoryBack) {
  const auto small = allocator_.allocate(kMiB, 2, {10, 1});
  allocator_.release(2, {20, 1});
  const auto large = allocator_.allocate(7 * kMiB, 2, {30, 1});
  EXPECT_NE(small, large);
  EXPECT_EQ(memory_.reserved_bytes(), 8 * kMiB);
  EXPECT_EQ(lines(), (std::vector<std::string>{"malloc 2 0 2", "malloc 2 2 2", "free -2 0 2",
                                               "free -2 0 0", "malloc 8 0 8", "malloc 8 8 8"}));
}

TEST_F(WorkspaceAllocatorTest, StreamsHaveTheirOwnBlocksAndTheDeviceAnEnd) {
  const auto one = allocator_.allocate(20 * kMiB, 1, {10, 1});
  const auto two = allocator_.allocate(20 * kMiB, 2, {20, 1});
  EXPECT_TRUE(one);
  EXPECT_TRUE(two);
  EXPECT_NE(one, two);
  EXPECT_FALSE(allocator_.allocate(40 * kMiB, 3, {30, 1}));
  EXPECT_EQ(allocator_.reserved_bytes(), 44 * kMiB);
  EXPECT_EQ(allocator_.allocated_bytes(), 44 * kMiB);
}

}  // namespace
}  // namespace npuprof::sim
