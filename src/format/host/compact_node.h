#pragma once

// Operators and collectives: 64-byte records of `host/data/<age>.compact.*`.

#include <cstdint>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// The operator behind a launch, stamped with the end time of the launch call. Static operators are
// in unaging files, dynamic ones in aging files.
//
// | offset | width | field     | unit, meaning                             |
// |--------|-------|-----------|-------------------------------------------|
// |     24 |     8 | op_name   | hash                                      |
// |     32 |     4 | task_type | see ge_task_type_name()                   |
// |     36 |     8 | op_type   | hash                                      |
// |     44 |     4 | blocks    | low half block count, high half mix ratio |
// |     48 |     4 | op_flag   | non-zero = HF32 enabled                   |
// |     52 |    12 | reserved  | zeros                                     |
struct NodeBasicInfo {
  static constexpr RecordKind kKind{Module::kCompact, "node_basic_info", kLevelNode, 0};
  static constexpr std::uint32_t kPayloadLength = 28;

  RecordHeader header;
  U64 op_name;
  U32 task_type;
  U64 op_type;
  U32 blocks;
  U32 op_flag;
  Reserved<12> reserved;

  std::uint32_t block_count() const { return blocks & 0xFFFF; }
  std::uint32_t mix_ratio() const { return blocks >> 16; }
  static constexpr std::uint32_t encode_blocks(std::uint16_t block_count, std::uint16_t mix_ratio) {
    return static_cast<std::uint32_t>(mix_ratio) << 16 | block_count;
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("op_name", self.op_name);
    field("task_type", self.task_type);
    field("op_type", self.op_type);
    field("blocks", self.blocks);
    field("op_flag", self.op_flag);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(NodeBasicInfo) == kCompactBytes);

// The attributes of an operator, as one string.
//
// | offset | width | field          | unit, meaning              |
// |--------|-------|----------------|----------------------------|
// |     24 |     8 | op_name        | hash                       |
// |     32 |     4 | attribute_type | 0                          |
// |     36 |     8 | attributes     | hash of the attribute text |
// |     44 |    20 | reserved       | zeros                      |
struct NodeAttrInfo {
  static constexpr RecordKind kKind{Module::kCompact, "node_attr_info", kLevelNode, 9};
  static constexpr std::uint32_t kPayloadLength = 20;

  RecordHeader header;
  U64 op_name;
  U32 attribute_type;
  U64 attributes;
  Reserved<20> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("op_name", self.op_name);
    field("attribute_type", self.attribute_type);
    field("attributes", self.attributes);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(NodeAttrInfo) == kCompactBytes);

// A collective operation, stamped with the end time of its launch call.
//
// | offset | width | field         | unit, meaning                                   |
// |--------|-------|---------------|-------------------------------------------------|
// |     24 |     1 | flags         | bit 0 relay, bit 1 retry                        |
// |     25 |     1 | data_type     | see hccl_data_type_name()                       |
// |     26 |     8 | algorithm     | hash of the algorithm text, parts joined by "-" |
// |     34 |     8 | element_count |                                                 |
// |     42 |     8 | group_name    | hash                                            |
// |     50 |    14 | reserved      | zeros                                           |
struct HcclOpInfo {
  static constexpr RecordKind kKind{Module::kCompact, "hccl_op_info", kLevelNode, 10};
  static constexpr std::uint32_t kPayloadLength = 26;

  RecordHeader header;
  U8 flags;
  U8 data_type;
  U64 algorithm;
  U64 element_count;
  U64 group_name;
  Reserved<14> reserved;

  bool relay() const { return (flags & 1) != 0; }
  bool retry() const { return (flags & 2) != 0; }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("flags", self.flags);
    field("data_type", self.data_type);
    field("algorithm", self.algorithm);
    field("element_count", self.element_count);
    field("group_name", self.group_name);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(HcclOpInfo) == kCompactBytes);

}  // namespace npuprof::format::host
