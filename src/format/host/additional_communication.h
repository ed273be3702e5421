#pragma once

// Collectives: 256-byte records of `host/data/<age>.additional.*`.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// One task of a collective (a copy, a notify, a reduce). Unset enumerations are 0xFFFFFFFF.
//
// | offset | width | field                 | unit, meaning                  |
// |--------|-------|-----------------------|--------------------------------|
// |     24 |     8 | item                  | hash of the task name          |
// |     32 |     8 | ccl_tag               | hash                           |
// |     40 |     8 | group_name            | hash                           |
// |     48 |     4 | local_rank            |                                |
// |     52 |     4 | remote_rank           |                                |
// |     56 |     4 | rank_size             |                                |
// |     60 |     4 | workflow_mode         |                                |
// |     64 |     4 | plane_id              |                                |
// |     68 |     4 | context_id            | 0xFFFFFFFF = none              |
// |     72 |     8 | notify_id             |                                |
// |     80 |     4 | stage                 |                                |
// |     84 |     4 | role                  | 0 = destination, 1 = source    |
// |     88 |     8 | estimated_duration_us |                                |
// |     96 |     8 | source_address        |                                |
// |    104 |     8 | destination_address   |                                |
// |    112 |     8 | data_size             | bytes                          |
// |    120 |     4 | reduce_op             | see hccl_reduce_op_name()      |
// |    124 |     4 | data_type             | see hccl_data_type_name()      |
// |    128 |     4 | link_type             | see hccl_link_type_name()      |
// |    132 |     4 | transport_type        | see hccl_transport_type_name() |
// |    136 |     4 | rdma_type             | see hccl_rdma_type_name()      |
// |    140 |   116 | reserved              | zeros                          |
struct HcclInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "hccl_info", kLevelHccl, 0};
  static constexpr std::uint32_t kPayloadLength = 120;
  static constexpr std::uint32_t kNoContext = 0xFFFFFFFF;

  RecordHeader header;
  U64 item;
  U64 ccl_tag;
  U64 group_name;
  U32 local_rank;
  U32 remote_rank;
  U32 rank_size;
  U32 workflow_mode;
  U32 plane_id;
  U32 context_id;
  U64 notify_id;
  U32 stage;
  U32 role;
  F64 estimated_duration_us;
  U64 source_address;
  U64 destination_address;
  U64 data_size;
  U32 reduce_op;
  U32 data_type;
  U32 link_type;
  U32 transport_type;
  U32 rdma_type;
  Reserved<116> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("item", self.item);
    field("ccl_tag", self.ccl_tag);
    field("group_name", self.group_name);
    field("local_rank", self.local_rank);
    field("remote_rank", self.remote_rank);
    field("rank_size", self.rank_size);
    field("workflow_mode", self.workflow_mode);
    field("plane_id", self.plane_id);
    field("context_id", self.context_id);
    field("notify_id", self.notify_id);
    field("stage", self.stage);
    field("role", self.role);
    field("estimated_duration_us", self.estimated_duration_us);
    field("source_address", self.source_address);
    field("destination_address", self.destination_address);
    field("data_size", self.data_size);
    field("reduce_op", self.reduce_op);
    field("data_type", self.data_type);
    field("link_type", self.link_type);
    field("transport_type", self.transport_type);
    field("rdma_type", self.rdma_type);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(HcclInfo) == kAdditionalBytes);

// Worker threads of the communication library.
//
// | offset | width | field        | unit, meaning |
// |--------|-------|--------------|---------------|
// |     24 |     4 | thread_count | 0..25         |
// |     28 |   100 | thread_ids   |               |
// |    128 |   128 | reserved     | zeros         |
struct MultiThread {
  static constexpr RecordKind kKind{Module::kAdditional, "Multi_Thread", kLevelHccl, 10};
  static constexpr std::uint32_t kPayloadLength = 104;

  RecordHeader header;
  U32 thread_count;
  std::array<U32, 25> thread_ids;
  Reserved<128> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("thread_count", self.thread_count);
    field("thread_ids", self.thread_ids);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(MultiThread) == kAdditionalBytes);

// Streams of a communicator that is driven by the AI CPU. More than 8 streams take several records.
//
// | offset | width | field        | unit, meaning |
// |--------|-------|--------------|---------------|
// |     24 |     8 | group_name   | hash          |
// |     32 |     4 | rank_size    |               |
// |     36 |     4 | rank_id      |               |
// |     40 |     4 | user_rank_id |               |
// |     44 |     4 | aicpu_stream |               |
// |     48 |     4 | stream_count | 0..8          |
// |     52 |    32 | streams      |               |
// |     84 |   172 | reserved     | zeros         |
struct Mc2CommInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "mc2_comm_info", kLevelNode, 12};
  static constexpr std::uint32_t kPayloadLength = 64;

  RecordHeader header;
  U64 group_name;
  U32 rank_size;
  U32 rank_id;
  U32 user_rank_id;
  U32 aicpu_stream;
  U32 stream_count;
  std::array<U32, 8> streams;
  Reserved<172> reserved;

  // The valid ones; a count that does not fit is cut.
  std::span<const U32> valid_streams() const {
    return std::span(streams).first(std::min<std::size_t>(stream_count, streams.size()));
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("group_name", self.group_name);
    field("rank_size", self.rank_size);
    field("rank_id", self.rank_id);
    field("user_rank_id", self.user_rank_id);
    field("aicpu_stream", self.aicpu_stream);
    field("stream_count", self.stream_count);
    field("streams", self.streams);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(Mc2CommInfo) == kAdditionalBytes);

// One task of a collective run by a data processing unit.
//
// | offset | width | field                 | unit, meaning                    |
// |--------|-------|-----------------------|----------------------------------|
// |     24 |     8 | item                  | hash of the task name            |
// |     32 |     8 | ccl_tag               | hash                             |
// |     40 |     8 | group_name            | hash                             |
// |     48 |     4 | local_rank            |                                  |
// |     52 |     4 | remote_rank           |                                  |
// |     56 |     4 | rank_size             |                                  |
// |     60 |     4 | stage                 |                                  |
// |     64 |     8 | notify_id             |                                  |
// |     72 |     8 | start                 | host ticks                       |
// |     80 |     8 | estimated_duration_us |                                  |
// |     88 |     8 | source_address        |                                  |
// |     96 |     8 | destination_address   |                                  |
// |    104 |     8 | data_size             | bytes                            |
// |    112 |     4 | task_id               |                                  |
// |    116 |     4 | aicpu_task_id         |                                  |
// |    120 |     2 | stream                |                                  |
// |    122 |     2 | plane_id              |                                  |
// |    124 |     2 | npu_device            | bits 0..11 id, bits 12..15 class |
// |    126 |     2 | dpu_device            | bits 0..11 id, bits 12..15 class |
// |    128 |     1 | reduce_op             |                                  |
// |    129 |     1 | data_type             |                                  |
// |    130 |     1 | link_type             |                                  |
// |    131 |     1 | transport_type        |                                  |
// |    132 |     1 | rdma_type             |                                  |
// |    133 |     1 | role                  |                                  |
// |    134 |     1 | workflow_mode         |                                  |
// |    135 |   121 | reserved              | zeros                            |
struct DpuHcclInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "dpu_hccl_info", kLevelHccl, 13};
  static constexpr std::uint32_t kPayloadLength = 111;

  RecordHeader header;
  U64 item;
  U64 ccl_tag;
  U64 group_name;
  U32 local_rank;
  U32 remote_rank;
  U32 rank_size;
  U32 stage;
  U64 notify_id;
  U64 start;
  F64 estimated_duration_us;
  U64 source_address;
  U64 destination_address;
  U64 data_size;
  U32 task_id;
  U32 aicpu_task_id;
  U16 stream;
  U16 plane_id;
  U16 npu_device;
  U16 dpu_device;
  U8 reduce_op;
  U8 data_type;
  U8 link_type;
  U8 transport_type;
  U8 rdma_type;
  U8 role;
  U8 workflow_mode;
  Reserved<121> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("item", self.item);
    field("ccl_tag", self.ccl_tag);
    field("group_name", self.group_name);
    field("local_rank", self.local_rank);
    field("remote_rank", self.remote_rank);
    field("rank_size", self.rank_size);
    field("stage", self.stage);
    field("notify_id", self.notify_id);
    field("start", self.start);
    field("estimated_duration_us", self.estimated_duration_us);
    field("source_address", self.source_address);
    field("destination_address", self.destination_address);
    field("data_size", self.data_size);
    field("task_id", self.task_id);
    field("aicpu_task_id", self.aicpu_task_id);
    field("stream", self.stream);
    field("plane_id", self.plane_id);
    field("npu_device", self.npu_device);
    field("dpu_device", self.dpu_device);
    field("reduce_op", self.reduce_op);
    field("data_type", self.data_type);
    field("link_type", self.link_type);
    field("transport_type", self.transport_type);
    field("rdma_type", self.rdma_type);
    field("role", self.role);
    field("workflow_mode", self.workflow_mode);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(DpuHcclInfo) == kAdditionalBytes);

}  // namespace npuprof::format::host
