#pragma once

#include <cstdint>
#include <string_view>

#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::mindspore {

// The size of a release; that of the block is not told.
inline constexpr std::uint64_t kReleased = ~std::uint64_t{0};

// What a block is for.
enum class MemoryType : std::uint8_t {
  kWeight = 0,
  kConstant = 1,
  kKernel = 2,
  kGraphOutput = 3,
  kSomas = 4,
  kSomasOutput = 5,
  kGeConstant = 6,
  kGeFixed = 7,
  kBatch = 8,
  kContinuous = 9,
  kPyNativeInput = 10,
  kPyNativeOutput = 11,
  kWorkspace = 12,
  kOther = 13,
};

// Fixed part of a record of `mindspore.memory_usage`: what the memory pool did.
//
// | offset | width | field           | unit, meaning                                            |
// |--------|-------|-----------------|----------------------------------------------------------|
// |      0 |     4 | device          | local rank                                               |
// |      4 |     8 | thread_id       | OS thread id                                             |
// |     12 |     8 | process_id      |                                                          |
// |     20 |     8 | time            | wall-clock ns                                            |
// |     28 |     8 | address         |                                                          |
// |     36 |     8 | size            | bytes; kReleased = the block was released                |
// |     44 |     8 | used            | bytes of the pool that are in use (as the two below,     |
// |     52 |     8 | peak            | after the event)                                         |
// |     60 |     8 | reserved        | bytes that the pool has from the device                  |
// |     68 |     8 | held_by_events  | bytes                                                    |
// |     76 |     8 | eager_freed     | bytes                                                    |
// |     84 |     8 | stream_pointer  |                                                          |
// |     92 |     4 | stream          | id                                                       |
// |     96 |     1 | from_persistent | 0 or 1                                                   |
// |     97 |     1 | is_persistent   | 0 or 1                                                   |
// |     98 |     1 | run_mode        |                                                          |
// |     99 |     1 | type            | MemoryType                                               |
struct MemoryUsageFixed {
  I32 device = 0;
  U64 thread_id = 0;
  U64 process_id = 0;
  U64 time = 0;
  U64 address = 0;
  U64 size = 0;
  U64 used = 0;
  U64 peak = 0;
  U64 reserved = 0;
  U64 held_by_events = 0;
  U64 eager_freed = 0;
  U64 stream_pointer = 0;
  U32 stream = 0;
  U8 from_persistent = 0;
  U8 is_persistent = 0;
  U8 run_mode = 0;
  U8 type = static_cast<std::uint8_t>(MemoryType::kOther);

  MemoryType memory_type() const { return static_cast<MemoryType>(type.get()); }
  bool is_release() const { return size == kReleased; }

  static constexpr void visit(auto& self, auto&& field) {
    field("device", self.device);
    field("thread_id", self.thread_id);
    field("process_id", self.process_id);
    field("time", self.time);
    field("address", self.address);
    field("size", self.size);
    field("used", self.used);
    field("peak", self.peak);
    field("reserved", self.reserved);
    field("held_by_events", self.held_by_events);
    field("eager_freed", self.eager_freed);
    field("stream_pointer", self.stream_pointer);
    field("stream", self.stream);
    field("from_persistent", self.from_persistent);
    field("is_persistent", self.is_persistent);
    field("run_mode", self.run_mode);
    field("type", self.type);
  }
};
static_assert(sizeof(MemoryUsageFixed) == 100);

enum class MemoryUsageField : std::uint16_t { kOwner = 13 };

struct MemoryUsage {
  using Fixed = MemoryUsageFixed;
  static constexpr std::uint16_t kType = 13;

  MemoryUsageFixed fixed;
  std::string_view owner;  // The operator, with scopes.

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("owner", MemoryUsageField::kOwner, self.owner);
  }
};

}  // namespace npuprof::format::mindspore
