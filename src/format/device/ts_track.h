#pragma once

// Records of `ts_track.data`: what the task scheduler's CPU noted. 40 bytes on all chips but 0
// (310), whose variable records are in ts_track_310.h. Times are device system-counter ticks
// (syscnt); streams have 11 bits (task_identity.h, stream_of_track).

#include <cstdint>

#include "format/bits.h"
#include "format/record.h"

namespace npuprof::format::device {

enum class TrackType : std::uint8_t {
  kTimeline = 3,    // Chip 0 only.
  kEventCount = 4,  // Chip 0 only.
  kStepTrace = 10,
  kMemcpy = 11,
  kTaskState = 12,
  kOldFlip = 13,  // No longer in use; readers ignore it.
  kFlip = 14,
  kBlockNumber = 15,
};

// Where a task is in its life (kMemcpy, kTaskState).
enum class TrackState : std::uint8_t { kReceived = 0, kStart = 1, kEnd = 2 };

// What a step-trace record marks. Reduce (10000..19999) and get-next (20000..59999) marks come in
// pairs: even starts, odd ends.
struct StepTag {
  static constexpr std::uint16_t kModelStart = 0;
  static constexpr std::uint16_t kModelEnd = 1;
  static constexpr std::uint16_t kForwardStart = 2;
  static constexpr std::uint16_t kBackwardEnd = 3;
  static constexpr std::uint16_t kIterationEnd = 4;
  static constexpr std::uint16_t kMark = 11;  // mstx marker; index_id is its id.
  static constexpr std::uint16_t kReduceFirst = 10000;
  static constexpr std::uint16_t kReduceLast = 19999;
  static constexpr std::uint16_t kGetNextFirst = 20000;
  static constexpr std::uint16_t kGetNextLast = 59999;
  static constexpr std::uint16_t kStepStart = 60000;  // Set by the framework; index_id is the step.
  static constexpr std::uint16_t kStepEnd = 60001;

  static constexpr bool is_reduce(std::uint16_t tag) {
    return tag >= kReduceFirst && tag <= kReduceLast;
  }
  static constexpr bool is_get_next(std::uint16_t tag) {
    return tag >= kGetNextFirst && tag <= kGetNextLast;
  }
  // Of a reduce or get-next mark.
  static constexpr bool is_start(std::uint16_t tag) { return tag % 2 == 0; }
};

// The first 16 bytes of every record.
//
// | offset | width | field       | meaning                            |
// |--------|-------|-------------|------------------------------------|
// |      0 |     1 | mode        | 0 host, 1 device                   |
// |      1 |     1 | type        | TrackType                          |
// |      2 |     2 | buffer_size | 40                                 |
// |      4 |     4 | reserved_4  |                                    |
// |      8 |     8 | syscnt      | ticks                              |
struct TrackHead {
  static constexpr std::uint16_t kRecordBytes = 40;

  U8 mode;
  U8 type;
  U16 buffer_size;
  Reserved<4> reserved_4;
  U64 syscnt;

  static constexpr TrackHead make(TrackType type, std::uint64_t syscnt) {
    TrackHead head{};
    head.mode = 1;
    head.type = static_cast<std::uint8_t>(type);
    head.buffer_size = kRecordBytes;
    head.syscnt = syscnt;
    return head;
  }
  constexpr TrackType track_type() const { return static_cast<TrackType>(type.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    field("mode", self.mode);
    field("type", self.type);
    field("buffer_size", self.buffer_size);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
  }
};
static_assert(sizeof(TrackHead) == 16);

// A record of unknown type: enough to dispatch on.
struct TrackRecord {
  TrackHead head;
  Reserved<24> body;

  // Whether the type is one of those that chips other than 0 write.
  constexpr bool is_sound() const {
    return head.type >= static_cast<std::uint8_t>(TrackType::kStepTrace) &&
           head.type <= static_cast<std::uint8_t>(TrackType::kBlockNumber);
  }

  // The same bytes seen as the layout that fits head.type.
  template <Record T>
  T as() const {
    static_assert(sizeof(T) == TrackHead::kRecordBytes);
    return load<T>(reinterpret_cast<const std::byte*>(this));
  }

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("body", self.body);
  }
};
static_assert(sizeof(TrackRecord) == 40);

// A mark in a stream (kStepTrace); chips 15 and 16 use StepTraceV6.
//
// | offset | width | field       | meaning                                                  |
// |--------|-------|-------------|----------------------------------------------------------|
// |     16 |     8 | index_id    | iteration, step or mark id                               |
// |     24 |     8 | model_id    |                                                          |
// |     32 |     2 | stream_id   |                                                          |
// |     34 |     2 | task_id     |                                                          |
// |     36 |     2 | tag         | StepTag                                                  |
// |     38 |     2 | reserved_38 |                                                          |
struct StepTrace {
  TrackHead head;
  U64 index_id;
  U64 model_id;
  U16 stream_id;
  U16 task_id;
  U16 tag;
  Reserved<2> reserved_38;

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("index_id", self.index_id);
    field("model_id", self.model_id);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("tag", self.tag);
    field("reserved_38", self.reserved_38);
  }
};
static_assert(sizeof(StepTrace) == 40);

// | offset | width | field       | meaning                                                  |
// |--------|-------|-------------|----------------------------------------------------------|
// |     16 |    16 |             | index_id, model_id as in StepTrace                       |
// |     32 |     2 | tag         | StepTag                                                  |
// |     34 |     2 | stream_id   |                                                          |
// |     36 |     4 | task_id     |                                                          |
struct StepTraceV6 {
  TrackHead head;
  U64 index_id;
  U64 model_id;
  U16 tag;
  U16 stream_id;
  U32 task_id;

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("index_id", self.index_id);
    field("model_id", self.model_id);
    field("tag", self.tag);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
  }
};
static_assert(sizeof(StepTraceV6) == 40);

// One state of an asynchronous copy (kMemcpy). A copy is complete when all three states were seen.
//
// | offset | width | field       | meaning                                                  |
// |--------|-------|-------------|----------------------------------------------------------|
// |     16 |     2 | stream_id   |                                                          |
// |     18 |     2 | task_id     |                                                          |
// |     20 |     1 | state       | TrackState                                               |
// |     21 |    19 | reserved_21 |                                                          |
struct MemcpyTrack {
  TrackHead head;
  U16 stream_id;
  U16 task_id;
  U8 state;
  Reserved<19> reserved_21;

  constexpr TrackState track_state() const { return static_cast<TrackState>(state.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("state", self.state);
    field("reserved_21", self.reserved_21);
  }
};
static_assert(sizeof(MemcpyTrack) == 40);

// One state of a task (kTaskState), written where no other log has the task: AI CPU tasks of chip
// 1, scheduling tasks of chip 4.
//
// | offset | width | field       | meaning                                                  |
// |--------|-------|-------------|----------------------------------------------------------|
// |     16 |     2 | stream_id   |                                                          |
// |     18 |     2 | task_id     |                                                          |
// |     20 |     2 | task_type   | TS task type (task_types.h)                              |
// |     22 |     1 | state       | TrackState                                               |
// |     23 |    17 | reserved_23 |                                                          |
struct TaskStateTrack {
  TrackHead head;
  U16 stream_id;
  U16 task_id;
  U16 task_type;
  U8 state;
  Reserved<17> reserved_23;

  constexpr TrackState track_state() const { return static_cast<TrackState>(state.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("task_type", self.task_type);
    field("state", self.state);
    field("reserved_23", self.reserved_23);
  }
};
static_assert(sizeof(TaskStateTrack) == 40);

// A stream's 16-bit task ids wrapped (kFlip).
//
// | offset | width | field       | meaning                                                  |
// |--------|-------|-------------|----------------------------------------------------------|
// |     16 |     2 | stream_id   |                                                          |
// |     18 |     2 | flip_number | 1, 2, ...; 0xFFFF = the stream was destroyed             |
// |     20 |     2 | reserved_20 |                                                          |
// |     22 |     2 | task_id     | of the flip task itself                                  |
// |     24 |    16 | reserved_24 |                                                          |
struct TaskFlip {
  static constexpr std::uint16_t kStreamDestroyed = 0xFFFF;

  TrackHead head;
  U16 stream_id;
  U16 flip_number;
  Reserved<2> reserved_20;
  U16 task_id;
  Reserved<16> reserved_24;

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("stream_id", self.stream_id);
    field("flip_number", self.flip_number);
    field("reserved_20", self.reserved_20);
    field("task_id", self.task_id);
    field("reserved_24", self.reserved_24);
  }
};
static_assert(sizeof(TaskFlip) == 40);

// Number of blocks chosen on the device (kBlockNumber); overrides what the host said at launch.
//
// | offset | width | field       | meaning                                                  |
// |--------|-------|-------------|----------------------------------------------------------|
// |     16 |     2 | stream_id   | raw, task_identity.h                                     |
// |     18 |     2 | task_id     | raw                                                      |
// |     20 |     4 | blocks      | b0..15 blocks, b16..31 slave blocks per block            |
// |     24 |    16 | reserved_24 |                                                          |
struct BlockNumber {
  TrackHead head;
  U16 stream_id;
  U16 task_id;
  U32 blocks;
  Reserved<16> reserved_24;

  static constexpr std::uint32_t pack_blocks(std::uint16_t block_count, std::uint16_t ratio) {
    return block_count | std::uint32_t{ratio} << 16;
  }
  constexpr std::uint32_t block_count() const { return get_bits(blocks.get(), 0, 16); }
  constexpr std::uint32_t slave_block_count() const {
    return block_count() * get_bits(blocks.get(), 16, 16);
  }

  static constexpr void visit(auto& self, auto&& field) {
    TrackHead::visit(self.head, field);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("blocks", self.blocks);
    field("reserved_24", self.reserved_24);
  }
};
static_assert(sizeof(BlockNumber) == 40);

}  // namespace npuprof::format::device
