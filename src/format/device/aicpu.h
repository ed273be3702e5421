#pragma once

// Records of `aicpu.data`: what AI CPUs report, 256 bytes each in the frame of the host's
// additional records (level 6000); header.type chooses the layout. Stream and task words are raw
// (task_identity.h). Device time stamps are ticks unless a field says otherwise.

#include <array>
#include <cstdint>

#include "format/bits.h"
#include "format/device/aicpu_hccl.h"  // IWYU pragma: export
#include "format/device/fixed_text.h"
#include "format/host/levels.h"
#include "format/host/record_header.h"
#include "format/record.h"

namespace npuprof::format::device {

enum class AiCpuType : std::uint32_t {
  kNode = 0,
  kDataPreprocess = 1,
  kModelWithQueue = 2,
  kMindSporeQueue = 3,
  kCommTurn = 4,
  kComputeTurn = 5,
  kHcclOp = 10,
  kFlip = 11,
  kMainStream = 12,
  kHcclTasks = 13,
};

// The header of a new record: `payload_length` is how many of the 232 bytes behind it count.
constexpr host::RecordHeader aicpu_header(AiCpuType type, std::uint32_t payload_length,
                                          std::uint32_t thread_id, std::uint64_t timestamp) {
  return {.level = host::kLevelAicpu,
          .type = static_cast<std::uint32_t>(type),
          .thread_id = thread_id,
          .payload_length = payload_length,
          .timestamp = timestamp};
}

// A record of unknown type: enough to dispatch on.
struct AiCpuRecord {
  host::RecordHeader header;
  Reserved<232> body;

  constexpr bool has_magic() const { return header.magic == host::kMagic; }
  constexpr AiCpuType type() const { return static_cast<AiCpuType>(header.type.get()); }

  // The same bytes seen as the layout that fits type().
  template <Record T>
  T as() const {
    static_assert(sizeof(T) == 256);
    return load<T>(reinterpret_cast<const std::byte*>(this));
  }

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("body", self.body);
  }
};
static_assert(sizeof(AiCpuRecord) == 256);

// The life of one kernel on an AI CPU; also the body of DATA_PREPROCESS.AICPU (data_preprocess.h).
// Rows whose start or end tick is 0 never ran to their end and are dropped.
//
// | offset | width | field              | meaning                                        |
// |--------|-------|--------------------|------------------------------------------------|
// |      0 |     8 | run_start_us       |                                                |
// |      8 |     8 | run_start_tick     |                                                |
// |     16 |     8 | compute_start_us   |                                                |
// |     24 |     8 | memcpy_start_us    | compute time = up to here                      |
// |     32 |     8 | memcpy_end_us      | copy time = up to here                         |
// |     40 |     8 | run_end_us         |                                                |
// |     48 |     8 | run_end_tick       |                                                |
// |     56 |     4 | thread_id          |                                                |
// |     60 |     4 | device_id          |                                                |
// |     64 |     8 | submit_tick        |                                                |
// |     72 |     8 | schedule_tick      |                                                |
// |     80 |     8 | before_run_tick    |                                                |
// |     88 |     8 | after_run_tick     | total time = submit to here                    |
// |     96 |     4 | kernel_type        |                                                |
// |    100 |     4 | dispatch_us        |                                                |
// |    104 |     4 | total_us           |                                                |
// |    108 |     2 | ffts_thread_id     |                                                |
// |    110 |     1 | version            |                                                |
struct AiCpuNodeTimes {
  U64 run_start_us;
  U64 run_start_tick;
  U64 compute_start_us;
  U64 memcpy_start_us;
  U64 memcpy_end_us;
  U64 run_end_us;
  U64 run_end_tick;
  U32 thread_id;
  U32 device_id;
  U64 submit_tick;
  U64 schedule_tick;
  U64 before_run_tick;
  U64 after_run_tick;
  U32 kernel_type;
  U32 dispatch_us;
  U32 total_us;
  U16 ffts_thread_id;
  U8 version;

  static constexpr void visit(auto& self, auto&& field) {
    field("run_start_us", self.run_start_us);
    field("run_start_tick", self.run_start_tick);
    field("compute_start_us", self.compute_start_us);
    field("memcpy_start_us", self.memcpy_start_us);
    field("memcpy_end_us", self.memcpy_end_us);
    field("run_end_us", self.run_end_us);
    field("run_end_tick", self.run_end_tick);
    field("node_thread_id", self.thread_id);
    field("device_id", self.device_id);
    field("submit_tick", self.submit_tick);
    field("schedule_tick", self.schedule_tick);
    field("before_run_tick", self.before_run_tick);
    field("after_run_tick", self.after_run_tick);
    field("kernel_type", self.kernel_type);
    field("dispatch_us", self.dispatch_us);
    field("total_us", self.total_us);
    field("ffts_thread_id", self.ffts_thread_id);
    field("version", self.version);
  }
};
static_assert(sizeof(AiCpuNodeTimes) == 111);

// One kernel (kNode).
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |     24 |     2 | raw_stream   |                                                 |
// |     26 |     2 | raw_task     |                                                 |
// |     28 |     4 | reserved_28  |                                                 |
// |     32 |   111 | times        | AiCpuNodeTimes                                  |
// |    143 |   113 | reserved_143 |                                                 |
struct AiCpuNode {
  static constexpr std::uint32_t kPayloadLength = 120;

  host::RecordHeader header;
  U16 raw_stream;
  U16 raw_task;
  Reserved<4> reserved_28;
  AiCpuNodeTimes times;
  Reserved<113> reserved_143;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("reserved_28", self.reserved_28);
    AiCpuNodeTimes::visit(self.times, field);
    field("reserved_143", self.reserved_143);
  }
};
static_assert(sizeof(AiCpuNode) == 256);

// A step of the data preprocessing queue (kDataPreprocess). The header's time is ns.
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |     24 |    16 | action       | text, "Last queue dequeue"                      |
// |     40 |    64 | source       | text                                            |
// |    104 |     8 | index        |                                                 |
// |    112 |     8 | size         |                                                 |
// |    120 |   136 | reserved_120 |                                                 |
struct AiCpuDataPreprocess {
  static constexpr std::uint32_t kPayloadLength = 96;

  host::RecordHeader header;
  FixedText<16> action;
  FixedText<64> source;
  U64 index;
  U64 size;
  Reserved<136> reserved_120;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("action", self.action);
    field("source", self.source);
    field("index", self.index);
    field("size", self.size);
    field("reserved_120", self.reserved_120);
  }
};
static_assert(sizeof(AiCpuDataPreprocess) == 256);

// A mark of a model fed by a queue (kModelWithQueue): a step trace of stream 0.
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |     24 |     8 | index_id     |                                                 |
// |     32 |     4 | model_id     |                                                 |
// |     36 |     2 | tag          | StepTag                                         |
// |     38 |     2 | reserved_38  |                                                 |
// |     40 |     8 | event_id     |                                                 |
// |     48 |   208 | reserved_48  |                                                 |
struct AiCpuModelMark {
  static constexpr std::uint32_t kPayloadLength = 24;

  host::RecordHeader header;
  U64 index_id;
  U32 model_id;
  U16 tag;
  Reserved<2> reserved_38;
  U64 event_id;
  Reserved<208> reserved_48;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("index_id", self.index_id);
    field("model_id", self.model_id);
    field("tag", self.tag);
    field("reserved_38", self.reserved_38);
    field("event_id", self.event_id);
    field("reserved_48", self.reserved_48);
  }
};
static_assert(sizeof(AiCpuModelMark) == 256);

// A wait for MindSpore's data queue (kMindSporeQueue).
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |     24 |     4 | node_tag     | 1 = GetNext_dequeue_wait                        |
// |     28 |     4 | reserved_28  |                                                 |
// |     32 |     8 | queue_size   |                                                 |
// |     40 |     8 | start_us     |                                                 |
// |     48 |     8 | end_us       |                                                 |
// |     56 |   200 | reserved_56  |                                                 |
struct AiCpuQueueWait {
  static constexpr std::uint32_t kPayloadLength = 32;
  static constexpr std::uint32_t kGetNextDequeueWait = 1;

  host::RecordHeader header;
  U32 node_tag;
  Reserved<4> reserved_28;
  U64 queue_size;
  U64 start_us;
  U64 end_us;
  Reserved<200> reserved_56;

  static constexpr void visit(auto& self, auto&& field) {
    host::RecordHeader::visit(self.header, field);
    field("node_tag", self.node_tag);
    field("reserved_28", self.reserved_28);
    field("queue_size", self.queue_size);
    field("start_us", self.start_us);
    field("end_us", self.end_us);
    field("reserved_56", self.reserved_56);
  }
};
static_assert(sizeof(AiCpuQueueWait) == 256);

}  // namespace npuprof::format::device
