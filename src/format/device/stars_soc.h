#pragma once

// Records of `stars_soc.data`: the scheduler's log of task starts and ends. 64 bytes on chips 5, 7,
// 8 and 11, 32 bytes on chips 15 and 16. Times are device system-counter ticks (syscnt).

#include <cstdint>

#include "format/bits.h"
#include "format/device/stars_head.h"
#include "format/record.h"

namespace npuprof::format::device {

// Which accelerator took a task from which hardware queue.
struct AcceleratorBits {
  U16 bits;  // b0..5 accelerator, b6..12 queue.

  static constexpr AcceleratorBits make(unsigned accelerator, unsigned queue) {
    return {.bits = static_cast<std::uint16_t>((accelerator & 0x3F) | (queue & 0x7F) << 6)};
  }
  constexpr std::uint8_t accelerator() const {
    return static_cast<std::uint8_t>(get_bits(bits.get(), 0, 6));
  }
  constexpr std::uint8_t queue() const {
    return static_cast<std::uint8_t>(get_bits(bits.get(), 6, 7));
  }

  static constexpr void visit(auto& self, auto&& field) { field("bits", self.bits); }
};
static_assert(sizeof(AcceleratorBits) == 2);

// Start or end of a task (kTaskStart, kTaskEnd).
//
// | offset | width | field       | meaning                                              |
// |--------|-------|-------------|------------------------------------------------------|
// |      0 |     4 | head        | function, sequence, SQE type (task_types.h)          |
// |      4 |     2 | raw_stream  | with raw_task: task_identity.h                       |
// |      6 |     2 | raw_task    |                                                      |
// |      8 |     8 | syscnt      | ticks                                                |
// |     16 |     2 | reserved_16 |                                                      |
// |     18 |     2 | accelerator | b0..5 accelerator id, b6..12 hardware queue id       |
// |     20 |    44 | reserved_20 |                                                      |
struct TaskLog {
  StarsHead head;
  U16 raw_stream;
  U16 raw_task;
  U64 syscnt;
  Reserved<2> reserved_16;
  AcceleratorBits accelerator;
  Reserved<44> reserved_20;

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("accelerator", self.accelerator);
    field("reserved_20", self.reserved_20);
  }
};
static_assert(sizeof(TaskLog) == 64);

// Start or end of one context (sub-task) of an FFTS+ task (kFftsPlusStart, kFftsPlusEnd).
//
// | offset | width | field        | meaning                                                |
// |--------|-------|--------------|--------------------------------------------------------|
// |   0..15 |      |              | as TaskLog                                             |
// |     16 |     2 | sub_task     | b0..7 sub-task type (task_types.h)                     |
// |     18 |     2 | context_id   |                                                        |
// |     20 |     2 | ffts         | b13..15 ffts type, 4 = FFTS+                           |
// |     22 |     2 | thread_id    |                                                        |
// |     24 |    40 | reserved_24  |                                                        |
struct FftsPlusLog {
  StarsHead head;
  U16 raw_stream;
  U16 raw_task;
  U64 syscnt;
  U16 sub_task;
  U16 context_id;
  U16 ffts;
  U16 thread_id;
  Reserved<40> reserved_24;

  static constexpr std::uint16_t pack_ffts(unsigned ffts_type) {
    return static_cast<std::uint16_t>((ffts_type & 7) << 13);
  }
  constexpr std::uint8_t sub_task_type() const {
    return static_cast<std::uint8_t>(get_bits(sub_task.get(), 0, 8));
  }
  constexpr std::uint8_t ffts_type() const {
    return static_cast<std::uint8_t>(get_bits(ffts.get(), 13, 3));
  }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("syscnt", self.syscnt);
    field("sub_task", self.sub_task);
    field("context_id", self.context_id);
    field("ffts", self.ffts);
    field("thread_id", self.thread_id);
    field("reserved_24", self.reserved_24);
  }
};
static_assert(sizeof(FftsPlusLog) == 64);

// Start or end of a task on chips 15 and 16. There is no stream: the host's task with the same id
// knows it.
//
// | offset | width | field       | meaning                                              |
// |--------|-------|-------------|------------------------------------------------------|
// |      0 |     4 | head        | function, sequence, SQE type (its own numbering)     |
// |      4 |     4 | task_id     |                                                      |
// |      8 |     8 | syscnt      | ticks                                                |
// |     16 |     2 | reserved_16 |                                                      |
// |     18 |     2 | accelerator | b0..5 accelerator id, b6..12 hardware queue id       |
// |     20 |    12 | reserved_20 |                                                      |
struct TaskLogV6 {
  StarsHead head;
  U32 task_id;
  U64 syscnt;
  Reserved<2> reserved_16;
  AcceleratorBits accelerator;
  Reserved<12> reserved_20;

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("task_id", self.task_id);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("accelerator", self.accelerator);
    field("reserved_20", self.reserved_20);
  }
};
static_assert(sizeof(TaskLogV6) == 32);

// Start or end of one block of a kernel on chips 15 and 16 (kBlockStart, kBlockEnd).
//
// | offset | width | field        | meaning                                             |
// |--------|-------|--------------|-----------------------------------------------------|
// |   0..15 |      |              | as TaskLogV6                                        |
// |     16 |     1 | context_type |                                                     |
// |     17 |     1 | flags        | b0 main core, b1 mixed kernel                       |
// |     18 |     2 | reserved_18  |                                                     |
// |     20 |     1 | core_type    | b0: 0 cube (AIC), 1 vector (AIV)                    |
// |     21 |     1 | core_id      |                                                     |
// |     22 |     4 | reserved_22  |                                                     |
// |     26 |     2 | block_id     |                                                     |
// |     28 |     4 | reserved_28  |                                                     |
struct BlockLogV6 {
  StarsHead head;
  U32 task_id;
  U64 syscnt;
  U8 context_type;
  U8 flags;
  Reserved<2> reserved_18;
  U8 core_type;
  U8 core_id;
  Reserved<4> reserved_22;
  U16 block_id;
  Reserved<4> reserved_28;

  constexpr bool is_main_core() const { return (flags & 1) != 0; }
  constexpr bool is_mixed() const { return (flags & 2) != 0; }
  constexpr bool is_vector_core() const { return (core_type & 1) != 0; }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("task_id", self.task_id);
    field("syscnt", self.syscnt);
    field("context_type", self.context_type);
    field("flags", self.flags);
    field("reserved_18", self.reserved_18);
    field("core_type", self.core_type);
    field("core_id", self.core_id);
    field("reserved_22", self.reserved_22);
    field("block_id", self.block_id);
    field("reserved_28", self.reserved_28);
  }
};
static_assert(sizeof(BlockLogV6) == 32);

// The part of a fused task that a FusionLogV6 is about.
enum class FusionPart : std::uint8_t {
  kHostCpu = 0,
  kAiCpu = 1,
  kAiCore = 2,
  kCcuDie0 = 3,
  kCcuDie1 = 4,
};

// Start or end of one part of a fused task on chips 15 and 16 (kFusionStart, kFusionEnd).
//
// | offset | width | field         | meaning                                                     |
// |--------|-------|---------------|-------------------------------------------------------------|
// |   0..15 |      |               | as TaskLogV6                                                |
// |     16 |     2 | part          | b0..4 one bit set, its index = FusionPart; b5..8 mission id |
// |     18 |     2 | accelerator   | accelerator id                                              |
// |     20 |    12 | reserved_20   |                                                             |
struct FusionLogV6 {
  StarsHead head;
  U32 task_id;
  U64 syscnt;
  U16 part;
  U16 accelerator;
  Reserved<12> reserved_20;

  static constexpr std::uint16_t pack_part(FusionPart part, unsigned mission) {
    return static_cast<std::uint16_t>((1u << static_cast<unsigned>(part)) | (mission & 0xF) << 5);
  }
  constexpr std::uint8_t part_bits() const {
    return static_cast<std::uint8_t>(get_bits(part.get(), 0, 5));
  }
  constexpr std::uint8_t mission_id() const {
    return static_cast<std::uint8_t>(get_bits(part.get(), 5, 4));
  }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("task_id", self.task_id);
    field("syscnt", self.syscnt);
    field("part", self.part);
    field("accelerator", self.accelerator);
    field("reserved_20", self.reserved_20);
  }
};
static_assert(sizeof(FusionLogV6) == 32);

}  // namespace npuprof::format::device
