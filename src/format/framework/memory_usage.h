#pragma once

#include <cstdint>

#include "format/framework/tensor_text.h"
#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::framework {

enum class MemoryComponent : std::uint8_t {
  kCachingAllocator = 0,    // "PTA" in result files.
  kWorkspaceAllocator = 1,  // "WORKSPACE".
};

enum class MemoryEvent : std::uint8_t {
  kMalloc = 0,     // A block was handed to the user.
  kFree = 1,       // The user released it: the allocated total drops.
  kBlockFree = 2,  // It went back to the pool: the active total drops. Written before kFree, unless
                   // another stream still uses the block.
  kInvalid = 3,
};

enum class MemoryAllocator : std::uint8_t { kInner = 0, kExternal = 1, kInvalid = 2 };

// A record of `torch.memory_usage`; it has no fields.
//
// | offset | width | field           | unit, meaning                                            |
// |--------|-------|-----------------|----------------------------------------------------------|
// |      0 |     8 | address         | of the block                                             |
// |      8 |     8 | time            | host ticks                                               |
// |     16 |     8 | size            | bytes; negative for kFree and kBlockFree                 |
// |     24 |     8 | total_allocated | bytes, after the event (as the two below)                |
// |     32 |     8 | total_reserved  | bytes                                                    |
// |     40 |     8 | total_active    | bytes; 0 for the CPU, total_allocated for the workspace  |
// |     48 |     8 | stream          | id or address of the stream; 0 for the CPU               |
// |     56 |     1 | device_type     | DeviceType                                               |
// |     57 |     1 | device_index    |                                                          |
// |     58 |     1 | component       | MemoryComponent; 0 for the CPU                           |
// |     59 |     1 | event           | MemoryEvent; always 0 for the CPU, where the sign of     |
// |        |       |                 | `size` tells an allocation from a release                |
// |     60 |     1 | allocator       | MemoryAllocator                                          |
// |     61 |     8 | thread_id       | OS thread id                                             |
// |     69 |     8 | process_id      | OS process id                                            |
struct MemoryUsageFixed {
  I64 address;
  I64 time;
  I64 size;
  I64 total_allocated;
  I64 total_reserved;
  I64 total_active;
  I64 stream;
  I8 device_type;
  I8 device_index;
  U8 component;
  U8 event;
  U8 allocator;
  U64 thread_id;
  U64 process_id;

  DeviceType device() const { return static_cast<DeviceType>(device_type.get()); }
  MemoryComponent memory_component() const { return static_cast<MemoryComponent>(component.get()); }
  MemoryEvent memory_event() const { return static_cast<MemoryEvent>(event.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    field("address", self.address);
    field("time", self.time);
    field("size", self.size);
    field("total_allocated", self.total_allocated);
    field("total_reserved", self.total_reserved);
    field("total_active", self.total_active);
    field("stream", self.stream);
    field("device_type", self.device_type);
    field("device_index", self.device_index);
    field("component", self.component);
    field("event", self.event);
    field("allocator", self.allocator);
    field("thread_id", self.thread_id);
    field("process_id", self.process_id);
  }
};
static_assert(sizeof(MemoryUsageFixed) == 77);

struct MemoryUsage {
  using Fixed = MemoryUsageFixed;
  static constexpr std::uint16_t kType = 3;

  MemoryUsageFixed fixed;

  static constexpr void visit_fields(auto&, auto&&) {}
};

}  // namespace npuprof::format::framework
