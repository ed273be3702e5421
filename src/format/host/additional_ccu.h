#pragma once

// The collective communication unit of chips 15 and 16: 256-byte records of
// `host/data/<age>.additional.*`.

#include <array>
#include <cstdint>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// A task given to the collective communication unit.
//
// | offset | width | field          | unit, meaning         |
// |--------|-------|----------------|-----------------------|
// |     24 |     1 | version        |                       |
// |     25 |     1 | workflow_mode  |                       |
// |     26 |     6 | reserved       | zeros                 |
// |     32 |     8 | item           | hash of the task name |
// |     40 |     8 | group_name     | hash                  |
// |     48 |     4 | rank_id        |                       |
// |     52 |     4 | rank_size      |                       |
// |     56 |     2 | stream         |                       |
// |     58 |     2 | reserved_2     | zeros                 |
// |     60 |     4 | task_id        |                       |
// |     64 |     1 | die_id         |                       |
// |     65 |     1 | mission_id     |                       |
// |     66 |     2 | instruction_id |                       |
// |     68 |   188 | reserved_3     | zeros                 |
struct CcuTaskInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "ccu_task_info", kLevelHccl, 14};
  static constexpr std::uint32_t kPayloadLength = 44;

  RecordHeader header;
  U8 version;
  U8 workflow_mode;
  Reserved<6> reserved;
  U64 item;
  U64 group_name;
  U32 rank_id;
  U32 rank_size;
  U16 stream;
  U16 reserved_2;
  U32 task_id;
  U8 die_id;
  U8 mission_id;
  U16 instruction_id;
  Reserved<188> reserved_3;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("version", self.version);
    field("workflow_mode", self.workflow_mode);
    field("reserved", self.reserved);
    field("item", self.item);
    field("group_name", self.group_name);
    field("rank_id", self.rank_id);
    field("rank_size", self.rank_size);
    field("stream", self.stream);
    field("reserved_2", self.reserved_2);
    field("task_id", self.task_id);
    field("die_id", self.die_id);
    field("mission_id", self.mission_id);
    field("instruction_id", self.instruction_id);
    field("reserved_3", self.reserved_3);
  }
};
static_assert(sizeof(CcuTaskInfo) == kAdditionalBytes);

// A wait for signals from other ranks, one per used channel.
//
// | offset | width | field           | unit, meaning         |
// |--------|-------|-----------------|-----------------------|
// |     24 |     1 | version         |                       |
// |     25 |     7 | reserved        | zeros                 |
// |     32 |     8 | item            | hash of the task name |
// |     40 |     8 | group_name      | hash                  |
// |     48 |     4 | rank_id         |                       |
// |     52 |     4 | rank_size       |                       |
// |     56 |     1 | workflow_mode   |                       |
// |     57 |     1 | reserved_2      | zeros                 |
// |     58 |     2 | stream          |                       |
// |     60 |     4 | task_id         |                       |
// |     64 |     1 | die_id          |                       |
// |     65 |     1 | reserved_3      | zeros                 |
// |     66 |     2 | instruction_id  |                       |
// |     68 |     1 | mission_id      |                       |
// |     69 |     3 | reserved_4      | zeros                 |
// |     72 |     4 | cke_id          |                       |
// |     76 |     4 | mask            |                       |
// |     80 |    32 | channel_ids     |                       |
// |    112 |    64 | remote_rank_ids |                       |
// |    176 |    80 | reserved_5      | zeros                 |
struct CcuWaitSignalInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "ccu_wait_signal_info", kLevelHccl, 15};
  static constexpr std::uint32_t kPayloadLength = 152;

  RecordHeader header;
  U8 version;
  Reserved<7> reserved;
  U64 item;
  U64 group_name;
  U32 rank_id;
  U32 rank_size;
  U8 workflow_mode;
  U8 reserved_2;
  U16 stream;
  U32 task_id;
  U8 die_id;
  U8 reserved_3;
  U16 instruction_id;
  U8 mission_id;
  Reserved<3> reserved_4;
  U32 cke_id;
  U32 mask;
  std::array<U16, 16> channel_ids;
  std::array<U32, 16> remote_rank_ids;
  Reserved<80> reserved_5;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("version", self.version);
    field("reserved", self.reserved);
    field("item", self.item);
    field("group_name", self.group_name);
    field("rank_id", self.rank_id);
    field("rank_size", self.rank_size);
    field("workflow_mode", self.workflow_mode);
    field("reserved_2", self.reserved_2);
    field("stream", self.stream);
    field("task_id", self.task_id);
    field("die_id", self.die_id);
    field("reserved_3", self.reserved_3);
    field("instruction_id", self.instruction_id);
    field("mission_id", self.mission_id);
    field("reserved_4", self.reserved_4);
    field("cke_id", self.cke_id);
    field("mask", self.mask);
    field("channel_ids", self.channel_ids);
    field("remote_rank_ids", self.remote_rank_ids);
    field("reserved_5", self.reserved_5);
  }
};
static_assert(sizeof(CcuWaitSignalInfo) == kAdditionalBytes);

// A group operation over several channels.
//
// | offset | width | field            | unit, meaning         |
// |--------|-------|------------------|-----------------------|
// |     24 |     1 | version          |                       |
// |     25 |     7 | reserved         | zeros                 |
// |     32 |     8 | item             | hash of the task name |
// |     40 |     8 | group_name       | hash                  |
// |     48 |     4 | rank_id          |                       |
// |     52 |     4 | rank_size        |                       |
// |     56 |     1 | workflow_mode    |                       |
// |     57 |     1 | reserved_2       | zeros                 |
// |     58 |     2 | stream           |                       |
// |     60 |     4 | task_id          |                       |
// |     64 |     1 | die_id           |                       |
// |     65 |     1 | reserved_3       | zeros                 |
// |     66 |     2 | instruction_id   |                       |
// |     68 |     1 | mission_id       |                       |
// |     69 |     1 | reduce_op        | 1 is PROD here        |
// |     70 |     1 | input_data_type  |                       |
// |     71 |     1 | output_data_type |                       |
// |     72 |     8 | data_size        | bytes                 |
// |     80 |    32 | channel_ids      |                       |
// |    112 |    64 | remote_rank_ids  |                       |
// |    176 |    80 | reserved_4       | zeros                 |
struct CcuGroupInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "ccu_group_info", kLevelHccl, 16};
  static constexpr std::uint32_t kPayloadLength = 152;

  RecordHeader header;
  U8 version;
  Reserved<7> reserved;
  U64 item;
  U64 group_name;
  U32 rank_id;
  U32 rank_size;
  U8 workflow_mode;
  U8 reserved_2;
  U16 stream;
  U32 task_id;
  U8 die_id;
  U8 reserved_3;
  U16 instruction_id;
  U8 mission_id;
  U8 reduce_op;
  U8 input_data_type;
  U8 output_data_type;
  U64 data_size;
  std::array<U16, 16> channel_ids;
  std::array<U32, 16> remote_rank_ids;
  Reserved<80> reserved_4;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("version", self.version);
    field("reserved", self.reserved);
    field("item", self.item);
    field("group_name", self.group_name);
    field("rank_id", self.rank_id);
    field("rank_size", self.rank_size);
    field("workflow_mode", self.workflow_mode);
    field("reserved_2", self.reserved_2);
    field("stream", self.stream);
    field("task_id", self.task_id);
    field("die_id", self.die_id);
    field("reserved_3", self.reserved_3);
    field("instruction_id", self.instruction_id);
    field("mission_id", self.mission_id);
    field("reduce_op", self.reduce_op);
    field("input_data_type", self.input_data_type);
    field("output_data_type", self.output_data_type);
    field("data_size", self.data_size);
    field("channel_ids", self.channel_ids);
    field("remote_rank_ids", self.remote_rank_ids);
    field("reserved_4", self.reserved_4);
  }
};
static_assert(sizeof(CcuGroupInfo) == kAdditionalBytes);

}  // namespace npuprof::format::host
