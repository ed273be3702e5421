#include "link/framework/memory_owner.h"

#include <gmock/gmock.h>

#include "link/framework/op_tree.h"
#include "link/framework/queue.h"
#include "link/framework_trace.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::IsEmpty;
using trace::kNone;

constexpr std::uint8_t kMalloc = 0;
constexpr std::uint8_t kFree = 1;
constexpr std::uint8_t kBlockFree = 2;

void link_owners(FrameworkTrace& trace) {
  const auto rows = ops_by_thread(trace->framework_ops());
  link_queue(*trace);
  link_op_tree(*trace, rows);
  link_queue_ops(*trace, rows);
  link_memory_owners(*trace, rows);
}

TEST(MemoryOwner, IsTheInnermostOperatorOfTheThread) {
  FrameworkTrace trace;
  const auto inner = trace.add_op(1, 20, 40, "my_scope");
  const auto outer = trace.add_op(1, 10, 60);
  trace.add_op(2, 0, 100);
  trace.add_memory(kMalloc, 30, 0x1000);
  trace.add_memory(kMalloc, 50, 0x2000);
  trace.add_memory(kMalloc, 70, 0x3000);
  trace.add_memory(kFree, 30, 0x1000);
  link_owners(trace);
  EXPECT_THAT(trace->memory_events().owner, ElementsAre(inner, outer, kNone, kNone));
}

TEST(MemoryOwner, IsNeverAScopeOfTheAllocator) {
  FrameworkTrace trace;
  trace.add_op(1, 20, 40, "empty_tensor");
  trace.add_op(1, 18, 45, "malloc_workspace");
  const auto op = trace.add_op(1, 10, 60, "aten::empty");
  trace.add_memory(kMalloc, 30, 0x1000);
  link_owners(trace);
  EXPECT_THAT(trace->memory_events().owner, ElementsAre(op));
}

TEST(MemoryOwner, DuringADequeueIsTheLibraryOperatorAroundTheEnqueue) {
  FrameworkTrace trace;
  trace.add_op(1, 20, 40, "aclnnMm");
  const auto op = trace.add_op(1, 10, 60, "aten::mm");
  trace.add_op(1, 5, 70, "my_scope");
  const auto own = trace.add_op(9, 105, 300, "npu::other");
  trace.add_enqueue(4, 1, 25, 30);
  trace.add_dequeue(4, 9, 100, 200);
  trace.add_memory(kMalloc, 150, 0x1000, 9);
  trace.add_memory(kMalloc, 200, 0x2000, 9);  // The dequeue is over.
  link_owners(trace);
  EXPECT_THAT(trace->memory_events().owner, ElementsAre(op, own));
}

TEST(MemoryOwner, DuringADequeueWithoutLibraryOperatorOrEnqueueIsNobody) {
  FrameworkTrace trace;
  trace.add_op(1, 5, 70, "my_scope");
  trace.add_op(9, 0, 900, "aten::mm");
  trace.add_enqueue(4, 1, 25, 30);
  trace.add_dequeue(4, 9, 100, 200);
  trace.add_dequeue(5, 9, 300, 400);
  trace.add_memory(kMalloc, 150, 0x1000, 9);
  trace.add_memory(kMalloc, 350, 0x2000, 9);
  link_owners(trace);
  EXPECT_THAT(trace->memory_events().owner, ElementsAre(kNone, kNone));
}

TEST(Allocations, GroupEveryCombinationOfEvents) {
  FrameworkTrace trace;
  std::int64_t time = 0;
  const auto add = [&](std::uint8_t kind, std::uint64_t address) {
    return trace.add_memory(kind, ++time, address);
  };
  const auto alone = add(kMalloc, 1);
  const auto freed = add(kMalloc, 2);
  const auto unused = add(kMalloc, 3);
  const auto both = add(kMalloc, 4);
  const auto reversed = add(kMalloc, 5);
  const auto free_2 = add(kFree, 2);
  const auto block_free_3 = add(kBlockFree, 3);
  const auto free_4 = add(kFree, 4);
  const auto block_free_4 = add(kBlockFree, 4);
  const auto block_free_5 = add(kBlockFree, 5);
  const auto free_5 = add(kFree, 5);
  link_allocations(*trace);
  const auto& blocks = trace->allocations();
  EXPECT_THAT(blocks.malloc_event, ElementsAre(alone, freed, unused, both, reversed));
  EXPECT_THAT(blocks.free_event, ElementsAre(kNone, free_2, kNone, free_4, free_5));
  EXPECT_THAT(blocks.block_free_event,
              ElementsAre(kNone, kNone, block_free_3, block_free_4, block_free_5));
}

TEST(Allocations, AnAddressIsUsedAgain) {
  FrameworkTrace trace;
  for (const std::uint8_t kind : {kMalloc, kFree, kBlockFree, kMalloc, kMalloc, kFree}) {
    trace.add_memory(kind, trace->memory_events().size(), 1);
  }
  link_allocations(*trace);
  EXPECT_THAT(trace->allocations().malloc_event, ElementsAre(0, 3, 4));
  EXPECT_THAT(trace->allocations().free_event, ElementsAre(1, kNone, 5));
  EXPECT_THAT(trace->allocations().block_free_event, ElementsAre(2, kNone, kNone));
}

TEST(Allocations, WhatFollowsARepeatedEventBelongsToALostBlock) {
  FrameworkTrace trace;
  // Between the two frees a malloc was lost.
  for (const std::uint8_t kind : {kFree, kMalloc, kFree, kFree, kBlockFree, kMalloc, kBlockFree}) {
    trace.add_memory(kind, trace->memory_events().size(), 1);
  }
  link_allocations(*trace);
  EXPECT_THAT(trace->allocations().malloc_event, ElementsAre(1, 5));
  EXPECT_THAT(trace->allocations().free_event, ElementsAre(2, kNone));
  EXPECT_THAT(trace->allocations().block_free_event, ElementsAre(kNone, 6));
}

TEST(Allocations, AreOfTheNpuAndTheInnerAllocatorOnlyAndPerDevice) {
  FrameworkTrace trace;
  trace->memory_events().device_type[trace.add_memory(kMalloc, 1, 1)] = 0;
  trace->memory_events().allocator[trace.add_memory(kMalloc, 2, 1)] = 1;
  const auto device_0 = trace.add_memory(kMalloc, 3, 1);
  const auto device_1 = trace.add_memory(kMalloc, 4, 1);
  trace->memory_events().device_index[device_1] = 1;
  const auto free_0 = trace.add_memory(kFree, 5, 1);
  link_allocations(*trace);
  EXPECT_THAT(trace->allocations().malloc_event, ElementsAre(device_0, device_1));
  EXPECT_THAT(trace->allocations().free_event, ElementsAre(free_0, kNone));
}

TEST(Allocations, FollowTimeAndNotFileOrder) {
  FrameworkTrace trace;
  const auto release = trace.add_memory(kFree, 20, 1);
  const auto second = trace.add_memory(kMalloc, 30, 1);
  const auto first = trace.add_memory(kMalloc, 10, 1);
  link_allocations(*trace);
  EXPECT_THAT(trace->allocations().malloc_event, ElementsAre(first, second));
  EXPECT_THAT(trace->allocations().free_event, ElementsAre(release, kNone));
}

TEST(Allocations, WithoutEventsThereAreNone) {
  FrameworkTrace trace;
  link_allocations(*trace);
  EXPECT_THAT(trace->allocations().malloc_event, IsEmpty());
}

}  // namespace
}  // namespace npuprof::link
