#pragma once

// Records of `aicpu.data` about communication that AI CPUs expand: MC2 (fused compute and
// communication) turns, collectives and their small tasks. See aicpu.h for the frame.

#include <array>
#include <cstdint>

#include "format/bits.h"
#include "format/host/record_header.h"
#include "format/record.h"

namespace npuprof::format::device {

// One turn of an MC2 communication server (kCommTurn).
//
// | offset | width | field            | meaning                                     |
// |--------|-------|------------------|---------------------------------------------|
// |     24 |     8 | server_start     | ticks, like the next six                    |
// |     32 |     8 | wait_message     |                                             |
// |     40 |     8 | algorithm_start  |                                             |
// |     48 |     8 | send_task        |                                             |
// |     56 |     8 | send_sqe_done    |                                             |
// |     64 |     8 | queue_end        |                                             |
// |     72 |     8 | server_end       |                                             |
// |     80 |     8 | data_length      | bytes                                       |
// |     88 |     4 | device_id        |                                             |
// |     92 |     2 | raw_stream       |                                             |
// |     94 |     2 | raw_task         |                                             |
// |     96 |     1 | version          |                                             |
// |     97 |     1 | turn_count       |                                             |
// |     98 |     1 | current_turn     |                                             |
// |     99 |   157 | reserved_99      |                                             |
struct AiCpuCommTurn {
  static constexpr std::uint32_t kPayloadLength = 75;

  host::RecordHeader header;
  U64 server_start;
  U64 wait_message;
  U64 algorithm_start;
  U64 send_task;
  U64 send_sqe_done;
  U64 queue_end;
  U64 server_end;
  U64 data_length;
  U32 device_id;
  U16 raw_stream;
  U16 raw_task;
  U8 version;
  U8 turn_count;
  U8 current_turn;
  Reserved<157> reserved_99;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("server_start", self.server_start);
    field("wait_message", self.wait_message);
    field("algorithm_start", self.algorithm_start);
    field("send_task", self.send_task);
    field("send_sqe_done", self.send_sqe_done);
    field("queue_end", self.queue_end);
    field("server_end", self.server_end);
    field("data_length", self.data_length);
    field("device_id", self.device_id);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("version", self.version);
    field("turn_count", self.turn_count);
    field("current_turn", self.current_turn);
    field("reserved_99", self.reserved_99);
  }
};
static_assert(sizeof(AiCpuCommTurn) == 256);

// One turn of the compute side of MC2 (kComputeTurn).
//
// | offset | width | field         | meaning                                     |
// |--------|-------|---------------|---------------------------------------------|
// |     24 |     8 | wait_compute  | ticks, like the next two                    |
// |     32 |     8 | compute_start |                                             |
// |     40 |     8 | compute_end   |                                             |
// |     48 |     8 | data_length   | bytes                                       |
// |     56 |     4 | device_id     |                                             |
// |     60 |     2 | raw_stream    |                                             |
// |     62 |     2 | raw_task      |                                             |
// |     64 |     1 | version       |                                             |
// |     65 |     1 | turn_count    |                                             |
// |     66 |     1 | current_turn  |                                             |
// |     67 |   189 | reserved_67   |                                             |
struct AiCpuComputeTurn {
  static constexpr std::uint32_t kPayloadLength = 43;

  host::RecordHeader header;
  U64 wait_compute;
  U64 compute_start;
  U64 compute_end;
  U64 data_length;
  U32 device_id;
  U16 raw_stream;
  U16 raw_task;
  U8 version;
  U8 turn_count;
  U8 current_turn;
  Reserved<189> reserved_67;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("wait_compute", self.wait_compute);
    field("compute_start", self.compute_start);
    field("compute_end", self.compute_end);
    field("data_length", self.data_length);
    field("device_id", self.device_id);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("version", self.version);
    field("turn_count", self.turn_count);
    field("current_turn", self.current_turn);
    field("reserved_67", self.reserved_67);
  }
};
static_assert(sizeof(AiCpuComputeTurn) == 256);

// A collective run by AI CPUs (kHcclOp). Fields are packed without regard to alignment.
//
// | offset | width | field          | meaning                                     |
// |--------|-------|----------------|---------------------------------------------|
// |     24 |     1 | flags          | b0 relay, b1 retry                          |
// |     25 |     1 | data_type      | HCCL data type                              |
// |     26 |     8 | algorithm_hash |                                             |
// |     34 |     8 | count          | elements                                    |
// |     42 |     8 | group_hash     |                                             |
// |     50 |     4 | rank_size      |                                             |
// |     54 |     2 | raw_stream     |                                             |
// |     56 |     4 | task_id        |                                             |
// |     60 |   196 | reserved_60    |                                             |
struct AiCpuHcclOp {
  static constexpr std::uint32_t kPayloadLength = 36;

  host::RecordHeader header;
  U8 flags;
  U8 data_type;
  U64 algorithm_hash;
  U64 count;
  U64 group_hash;
  U32 rank_size;
  U16 raw_stream;
  U32 task_id;
  Reserved<196> reserved_60;

  constexpr bool is_relay() const { return (flags & 1) != 0; }
  constexpr bool is_retry() const { return (flags & 2) != 0; }

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("flags", self.flags);
    field("data_type", self.data_type);
    field("algorithm_hash", self.algorithm_hash);
    field("count", self.count);
    field("group_hash", self.group_hash);
    field("rank_size", self.rank_size);
    field("raw_stream", self.raw_stream);
    field("task_id", self.task_id);
    field("reserved_60", self.reserved_60);
  }
};
static_assert(sizeof(AiCpuHcclOp) == 256);

// Task ids wrapped on a stream that an AI CPU feeds (kFlip).
//
// | offset | width | field       | meaning                                        |
// |--------|-------|-------------|------------------------------------------------|
// |     24 |     2 | raw_stream  |                                                |
// |     26 |     2 | raw_task    |                                                |
// |     28 |     4 | flip_number | 0xFFFF = the stream was destroyed              |
// |     32 |   224 | reserved_32 |                                                |
struct AiCpuFlip {
  static constexpr std::uint32_t kPayloadLength = 8;

  host::RecordHeader header;
  U16 raw_stream;
  U16 raw_task;
  U32 flip_number;
  Reserved<224> reserved_32;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("flip_number", self.flip_number);
    field("reserved_32", self.reserved_32);
  }
};
static_assert(sizeof(AiCpuFlip) == 256);

// The first or last task on the main communication stream of a collective (kMainStream).
//
// | offset | width | field            | meaning                                   |
// |--------|-------|------------------|-------------------------------------------|
// |     24 |     2 | raw_aicpu_stream | of the AI CPU kernel that expands it      |
// |     26 |     2 | raw_aicpu_task   |                                           |
// |     28 |     2 | raw_stream       | of the marked task                        |
// |     30 |     2 | raw_task         |                                           |
// |     32 |     2 | position         | 0 first, 1 last                           |
// |     34 |   222 | reserved_34      |                                           |
struct AiCpuMainStreamMark {
  static constexpr std::uint32_t kPayloadLength = 10;
  static constexpr std::uint16_t kFirst = 0;
  static constexpr std::uint16_t kLast = 1;

  host::RecordHeader header;
  U16 raw_aicpu_stream;
  U16 raw_aicpu_task;
  U16 raw_stream;
  U16 raw_task;
  U16 position;
  Reserved<222> reserved_34;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("raw_aicpu_stream", self.raw_aicpu_stream);
    field("raw_aicpu_task", self.raw_aicpu_task);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("position", self.position);
    field("reserved_34", self.reserved_34);
  }
};
static_assert(sizeof(AiCpuMainStreamMark) == 256);

// One small task of a collective.
//
// | offset | width | field              | meaning                                     |
// |--------|-------|--------------------|---------------------------------------------|
// |      0 |     8 | item_hash          | name of the task                            |
// |      8 |     8 | tag_hash           |                                             |
// |     16 |     8 | group_hash         | 0 = the item is empty                       |
// |     24 |     4 | local_rank         |                                             |
// |     28 |     4 | remote_rank        |                                             |
// |     32 |     4 | rank_size          |                                             |
// |     36 |     4 | stage              |                                             |
// |     40 |     8 | notify_id          |                                             |
// |     48 |     8 | syscnt             | ticks                                       |
// |     56 |     8 | estimated_duration | floating point                              |
// |     64 |     8 | source_address     |                                             |
// |     72 |     8 | target_address     |                                             |
// |     80 |     8 | size_bytes         |                                             |
// |     88 |     4 | task_id            |                                             |
// |     92 |     4 | reserved_92        |                                             |
// |     96 |     2 | raw_stream         |                                             |
// |     98 |     2 | plane_id           |                                             |
// |    100 |     1 | operation          | HCCL enumerations, all one byte             |
// |    101 |     1 | data_type          |                                             |
// |    102 |     1 | link_type          |                                             |
// |    103 |     1 | transport_type     |                                             |
// |    104 |     1 | rdma_type          |                                             |
// |    105 |     1 | role               |                                             |
// |    106 |     1 | workflow_mode      |                                             |
// |    107 |     9 | reserved_107       |                                             |
struct AiCpuHcclTask {
  U64 item_hash;
  U64 tag_hash;
  U64 group_hash;
  U32 local_rank;
  U32 remote_rank;
  U32 rank_size;
  U32 stage;
  U64 notify_id;
  U64 syscnt;
  F64 estimated_duration;
  U64 source_address;
  U64 target_address;
  U64 size_bytes;
  U32 task_id;
  Reserved<4> reserved_92;
  U16 raw_stream;
  U16 plane_id;
  U8 operation;
  U8 data_type;
  U8 link_type;
  U8 transport_type;
  U8 rdma_type;
  U8 role;
  U8 workflow_mode;
  Reserved<9> reserved_107;

  constexpr bool is_empty() const { return group_hash == 0; }

  static constexpr void visit(auto& self, auto&& field) {
    field("item_hash", self.item_hash);
    field("tag_hash", self.tag_hash);
    field("group_hash", self.group_hash);
    field("local_rank", self.local_rank);
    field("remote_rank", self.remote_rank);
    field("rank_size", self.rank_size);
    field("stage", self.stage);
    field("notify_id", self.notify_id);
    field("syscnt", self.syscnt);
    field("estimated_duration", self.estimated_duration);
    field("source_address", self.source_address);
    field("target_address", self.target_address);
    field("size_bytes", self.size_bytes);
    field("task_id", self.task_id);
    field("reserved_92", self.reserved_92);
    field("raw_stream", self.raw_stream);
    field("plane_id", self.plane_id);
    field("operation", self.operation);
    field("data_type", self.data_type);
    field("link_type", self.link_type);
    field("transport_type", self.transport_type);
    field("rdma_type", self.rdma_type);
    field("role", self.role);
    field("workflow_mode", self.workflow_mode);
    field("reserved_107", self.reserved_107);
  }
};
static_assert(sizeof(AiCpuHcclTask) == 116);

// Up to two small tasks (kHcclTasks).
struct AiCpuHcclTasks {
  static constexpr std::uint32_t kPayloadLength = 232;

  host::RecordHeader header;
  std::array<AiCpuHcclTask, 2> items;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("items", self.items);
  }
};
static_assert(sizeof(AiCpuHcclTasks) == 256);

}  // namespace npuprof::format::device
