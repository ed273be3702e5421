#pragma once

// Memory of operators: 256-byte records of `host/data/<age>.additional.*`.

#include <cstdint>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// An allocation for an operator, or its release.
//
// | offset | width | field           | unit, meaning                      |
// |--------|-------|-----------------|------------------------------------|
// |     24 |     8 | address         |                                    |
// |     32 |     8 | size            | bytes, negative = free             |
// |     40 |     8 | op_name         | hash of the operator or model name |
// |     48 |     8 | total_allocated | bytes                              |
// |     56 |     8 | total_reserved  | bytes                              |
// |     64 |     4 | device          |                                    |
// |     68 |     4 | device_type     |                                    |
// |     72 |   184 | reserved        | zeros                              |
struct TaskMemoryInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "task_memory_info", kLevelNode, 6};
  static constexpr std::uint32_t kPayloadLength = 48;

  RecordHeader header;
  U64 address;
  I64 size;
  U64 op_name;
  U64 total_allocated;
  U64 total_reserved;
  U32 device;
  U32 device_type;
  Reserved<184> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("address", self.address);
    field("size", self.size);
    field("op_name", self.op_name);
    field("total_allocated", self.total_allocated);
    field("total_reserved", self.total_reserved);
    field("device", self.device);
    field("device_type", self.device_type);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(TaskMemoryInfo) == kAdditionalBytes);

// Memory of an operator in a static graph, planned when the graph was built.
//
// | offset | width | field           | unit, meaning                      |
// |--------|-------|-----------------|------------------------------------|
// |     24 |     8 | size            | bytes                              |
// |     32 |     8 | op_name         | hash, 0 = total of the graph       |
// |     40 |     8 | life_start      |                                    |
// |     48 |     8 | life_end        | 0xFFFFFFFE stands for "to the end" |
// |     56 |     8 | total_allocated | bytes                              |
// |     64 |     8 | dynamic_root_op | hash, 0 = none                     |
// |     72 |     4 | graph_id        |                                    |
// |     76 |   180 | reserved        | zeros                              |
struct StaticOpMem {
  static constexpr RecordKind kKind{Module::kAdditional, "static_op_mem", kLevelNode, 11};
  static constexpr std::uint32_t kPayloadLength = 52;

  RecordHeader header;
  I64 size;
  U64 op_name;
  U64 life_start;
  U64 life_end;
  U64 total_allocated;
  U64 dynamic_root_op;
  U32 graph_id;
  Reserved<180> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("size", self.size);
    field("op_name", self.op_name);
    field("life_start", self.life_start);
    field("life_end", self.life_end);
    field("total_allocated", self.total_allocated);
    field("dynamic_root_op", self.dynamic_root_op);
    field("graph_id", self.graph_id);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(StaticOpMem) == kAdditionalBytes);

// Memory asked for by a node. No release is known that writes it and the vendor's two readers
// disagree on the record size, 66 or 256 bytes (MemoryApplicationFrame): choose by which divides
// the file.
//
// | offset | width | field       | unit, meaning |
// |--------|-------|-------------|---------------|
// |     24 |     8 | node_id     |               |
// |     32 |     8 | address     |               |
// |     40 |     8 | size        | bytes         |
// |     48 |     8 | total       | bytes         |
// |     56 |     8 | used        | bytes         |
// |     64 |     1 | device_type | a character   |
// |     65 |     1 | device      | a character   |
struct MemoryApplication {
  RecordHeader header;
  U64 node_id;
  U64 address;
  U64 size;
  U64 total;
  U64 used;
  U8 device_type;
  U8 device;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("node_id", self.node_id);
    field("address", self.address);
    field("size", self.size);
    field("total", self.total);
    field("used", self.used);
    field("device_type", self.device_type);
    field("device", self.device);
  }
};
static_assert(sizeof(MemoryApplication) == 66);

struct MemoryApplicationFrame {
  MemoryApplication record;
  Reserved<190> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    MemoryApplication::visit(self.record, field);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(MemoryApplicationFrame) == kAdditionalBytes);

}  // namespace npuprof::format::host
