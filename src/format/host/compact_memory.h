#pragma once

// Copies, fills and allocations: 64-byte records of `host/data/<age>.compact.*`.

#include <cstdint>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// Size and direction of an asynchronous copy. Thread and time equal those of the copy's task_track
// records; each of these moves up to `max_size` bytes.
//
// | offset | width | field     | unit, meaning               |
// |--------|-------|-----------|-----------------------------|
// |     24 |     8 | data_size | bytes                       |
// |     32 |     8 | max_size  | bytes per task              |
// |     40 |     2 | direction | see memcpy_direction_name() |
// |     42 |    22 | reserved  | zeros                       |
struct MemcpyInfo {
  static constexpr RecordKind kKind{Module::kCompact, "memcpy_info", kLevelRuntime, 801};
  static constexpr std::uint32_t kPayloadLength = 24;

  RecordHeader header;
  U64 data_size;
  U64 max_size;
  U16 direction;
  Reserved<22> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("data_size", self.data_size);
    field("max_size", self.max_size);
    field("direction", self.direction);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(MemcpyInfo) == kCompactBytes);

// A copy of any kind, with its stream.
//
// | offset | width | field     | unit, meaning               |
// |--------|-------|-----------|-----------------------------|
// |     24 |     8 | data_size | bytes                       |
// |     32 |     2 | direction | see memcpy_direction_name() |
// |     34 |     2 | device    |                             |
// |     36 |     4 | stream    |                             |
// |     40 |    24 | reserved  | zeros                       |
struct MemcpyExtInfo {
  static constexpr RecordKind kKind{Module::kCompact, "memcpy_ext_info", kLevelRuntime, 810};
  static constexpr std::uint32_t kPayloadLength = 16;

  RecordHeader header;
  U64 data_size;
  U16 direction;
  U16 device;
  U32 stream;
  Reserved<24> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("data_size", self.data_size);
    field("direction", self.direction);
    field("device", self.device);
    field("stream", self.stream);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(MemcpyExtInfo) == kCompactBytes);

// A fill.
//
// | offset | width | field     | unit, meaning |
// |--------|-------|-----------|---------------|
// |     24 |     8 | data_size | bytes         |
// |     32 |     4 | value     |               |
// |     36 |     4 | stream    |               |
// |     40 |     2 | device    |               |
// |     42 |    22 | reserved  | zeros         |
struct MemsetInfo {
  static constexpr RecordKind kKind{Module::kCompact, "memset_info", kLevelRuntime, 811};
  static constexpr std::uint32_t kPayloadLength = 18;

  RecordHeader header;
  U64 data_size;
  I32 value;
  U32 stream;
  U16 device;
  Reserved<22> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("data_size", self.data_size);
    field("value", self.value);
    field("stream", self.stream);
    field("device", self.device);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(MemsetInfo) == kCompactBytes);

// An allocation or release of memory.
//
// | offset | width | field       | unit, meaning               |
// |--------|-------|-------------|-----------------------------|
// |     24 |     8 | address     |                             |
// |     32 |     8 | size        | bytes                       |
// |     40 |     4 | memory_type | 1 host, 2 device, 3 managed |
// |     44 |     2 | operation   | 0 allocate, 1 free          |
// |     46 |     2 | device      |                             |
// |     48 |     4 | stream      |                             |
// |     52 |    12 | reserved    | zeros                       |
struct MemmngInfo {
  static constexpr RecordKind kKind{Module::kCompact, "memmng_info", kLevelRuntime, 812};
  static constexpr std::uint32_t kPayloadLength = 28;

  RecordHeader header;
  U64 address;
  U64 size;
  U32 memory_type;
  U16 operation;
  U16 device;
  U32 stream;
  Reserved<12> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("address", self.address);
    field("size", self.size);
    field("memory_type", self.memory_type);
    field("operation", self.operation);
    field("device", self.device);
    field("stream", self.stream);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(MemmngInfo) == kCompactBytes);

}  // namespace npuprof::format::host
