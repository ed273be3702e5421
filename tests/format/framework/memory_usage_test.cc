#include "format/framework/memory_usage.h"

#include <gtest/gtest.h>

#include "format/framework/record_bytes.h"

namespace npuprof::format::framework {
namespace {

TEST(MemoryUsage, RoundTripsRandomValues) {
  testing::expect_round_trip<MemoryUsageFixed>();
  testing::expect_record_round_trip<MemoryUsage>();
}

TEST(MemoryUsage, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(testing::offset_of<MemoryUsageFixed>("stream"), 48u);
  EXPECT_EQ(testing::offset_of<MemoryUsageFixed>("device_type"), 56u);
  EXPECT_EQ(testing::offset_of<MemoryUsageFixed>("allocator"), 60u);
  EXPECT_EQ(testing::offset_of<MemoryUsageFixed>("thread_id"), 61u);
}

TEST(MemoryUsage, DecodesBytesWrittenByHand) {
  const auto bytes = testing::hex(
      "03 00 4d 00 00 00 00 10 00 00 00 00 00 00 e8 03 00 00 00 00 00 00 00 02 00 00 00 00 00 00 "
      "00 02 00 00 00 00 00 00 00 00 20 00 00 00 00 00 00 02 00 00 00 00 00 00 02 00 00 00 00 00 "
      "00 00 14 00 00 00 00 4e 00 00 00 00 00 00 00 4d 00 00 00 00 00 00 00");
  const auto memory = testing::expect_same_bytes<MemoryUsage>(bytes).fixed;
  EXPECT_EQ(memory.address, 0x1000);
  EXPECT_EQ(memory.time, 1000);
  EXPECT_EQ(memory.size, 512);
  EXPECT_EQ(memory.total_allocated, 512);
  EXPECT_EQ(memory.total_reserved, 2 << 20);
  EXPECT_EQ(memory.total_active, 512);
  EXPECT_EQ(memory.stream, 2);
  EXPECT_EQ(memory.device(), DeviceType::kNpu);
  EXPECT_EQ(memory.device_index, 0);
  EXPECT_EQ(memory.memory_component(), MemoryComponent::kCachingAllocator);
  EXPECT_EQ(memory.memory_event(), MemoryEvent::kMalloc);
  EXPECT_EQ(memory.allocator, static_cast<std::uint8_t>(MemoryAllocator::kInner));
  EXPECT_EQ(memory.thread_id, 78u);
  EXPECT_EQ(memory.process_id, 77u);
}

}  // namespace
}  // namespace npuprof::format::framework
