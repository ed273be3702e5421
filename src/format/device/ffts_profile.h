#pragma once

// Records of `ffts_profile.data`: performance counters (PMU) of AI cores. "task-based" collection
// writes the 128-byte records, one per kernel or block; "sample-based" writes AiCoreSample (which
// older chips have in aicore.data and aiVectorCore.data) or AiCoreSampleV6. Readers must not insist
// on the magic number here. Counters come in the order of `ai_core_profiling_events` (cube cores)
// or `aiv_profiling_events` (vector cores) of sample.json.

#include <array>
#include <cstdint>
#include <optional>

#include "format/bits.h"
#include "format/device/chips.h"
#include "format/device/stars_head.h"
#include "format/record.h"

namespace npuprof::format::device {

// What ran a kernel. A mixed kernel has a main kind of core and a slave kind beside it.
enum class CoreKind : std::uint8_t {
  kAic,     // Cube cores.
  kAiv,     // Vector cores.
  kMixAic,  // Mixed, cube cores lead; slave blocks are on vector cores.
  kMixAiv,  // Mixed, vector cores lead; slave blocks are on cube cores.
};

// The kind of core behind a context PMU record; nothing for combinations that have none. The
// vendor's readers disagree on ffts type 5; we take it for a vector kernel, as their newer one
// does.
constexpr std::optional<CoreKind> core_kind(std::uint8_t ffts_type, std::uint8_t sub_task_type) {
  switch (ffts_type) {
    case 0:
      return CoreKind::kAic;
    case 1:
    case 5:
      return CoreKind::kAiv;
    case 4:
      if (sub_task_type == 0) return CoreKind::kAic;
      if (sub_task_type == 1) return CoreKind::kAiv;
      if (sub_task_type == 6) return CoreKind::kMixAic;
      if (sub_task_type == 7) return CoreKind::kMixAiv;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// True if the main (context PMU) counters are those of vector cores.
constexpr bool leads_with_vector(CoreKind kind) {
  return kind == CoreKind::kAiv || kind == CoreKind::kMixAiv;
}
constexpr bool is_mixed(CoreKind kind) {
  return kind == CoreKind::kMixAic || kind == CoreKind::kMixAiv;
}

// Counters of one kernel, or one context of an FFTS+ task (kContextPmu; chips 5, 7, 8, 11).
//
// | offset | width | field           | meaning                                                    |
// |--------|-------|-----------------|------------------------------------------------------------|
// |      0 |     4 | head            | function 0x28                                              |
// |      4 |     4 | raw_stream/task | task_identity.h                                            |
// |      8 |     8 | reserved_8      |                                                            |
// |     16 |     2 | sub_task        | b0..7 sub-task type; b10 a counter overflowed              |
// |     18 |     2 | context_id      | valid if ffts type is 4                                    |
// |     20 |     2 | ffts            | b13..15 ffts type                                          |
// |     22 |     2 | thread_id       |                                                            |
// |     24 |     8 | reserved_24     |                                                            |
// |     32 |     8 | total_cycles    | core cycles, summed over the cores that ran the blocks     |
// |     40 |     8 | overflow_cycles | all ones when unused                                       |
// |     48 |    64 | counters        | 8 counters                                                 |
// |    112 |    16 | start, end      | ticks                                                      |
struct ContextPmu {
  StarsHead head;
  U16 raw_stream;
  U16 raw_task;
  Reserved<8> reserved_8;
  U16 sub_task;
  U16 context_id;
  U16 ffts;
  U16 thread_id;
  Reserved<8> reserved_24;
  U64 total_cycles;
  U64 overflow_cycles;
  std::array<U64, 8> counters;
  U64 start_syscnt;
  U64 end_syscnt;

  // Of its own function, or of BlockPmu's, which has the same size.
  constexpr bool is_sound() const {
    return head.function() == StarsFunction::kContextPmu ||
           head.function() == StarsFunction::kBlockPmu;
  }

  static constexpr std::uint16_t pack_sub_task(unsigned sub_task_type, bool overflow) {
    return static_cast<std::uint16_t>((sub_task_type & 0xFF) | (overflow ? 0x400u : 0u));
  }
  static constexpr std::uint16_t pack_ffts(unsigned ffts_type) {
    return static_cast<std::uint16_t>((ffts_type & 7) << 13);
  }
  constexpr std::uint8_t sub_task_type() const {
    return static_cast<std::uint8_t>(get_bits(sub_task.get(), 0, 8));
  }
  constexpr bool overflowed() const { return get_bits(sub_task.get(), 10, 1) != 0; }
  constexpr std::uint8_t ffts_type() const {
    return static_cast<std::uint8_t>(get_bits(ffts.get(), 13, 3));
  }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("reserved_8", self.reserved_8);
    field("sub_task", self.sub_task);
    field("context_id", self.context_id);
    field("ffts", self.ffts);
    field("thread_id", self.thread_id);
    field("reserved_24", self.reserved_24);
    field("total_cycles", self.total_cycles);
    field("overflow_cycles", self.overflow_cycles);
    field("counters", self.counters);
    field("start_syscnt", self.start_syscnt);
    field("end_syscnt", self.end_syscnt);
  }
};
static_assert(sizeof(ContextPmu) == 128);

// Counters of one block (kBlockPmu; chips 5, 7, 8, 11): the slave cores of every mixed kernel, and
// with `taskBlock` on also each block of the main cores.
//
// | offset | width | field           | meaning                                                    |
// |--------|-------|-----------------|------------------------------------------------------------|
// |  0..19 |       |                 | as ContextPmu, function 0x29; context_id always valid      |
// |     20 |     1 | core            | b0 core type (0 cube, 1 vector), b1..7 core id             |
// |     21 |     1 | ffts            | b5..7 ffts type                                            |
// |     22 |     2 | thread_id       |                                                            |
// |     24 |     4 | reserved_24     |                                                            |
// |     28 |     2 | sub_block_id    |                                                            |
// |     30 |     2 | block_id        |                                                            |
// | 32..127 |      |                 | as ContextPmu                                              |
struct BlockPmu {
  StarsHead head;
  U16 raw_stream;
  U16 raw_task;
  Reserved<8> reserved_8;
  U16 sub_task;
  U16 context_id;
  U8 core;
  U8 ffts;
  U16 thread_id;
  Reserved<4> reserved_24;
  U16 sub_block_id;
  U16 block_id;
  U64 total_cycles;
  U64 overflow_cycles;
  std::array<U64, 8> counters;
  U64 start_syscnt;
  U64 end_syscnt;

  static constexpr std::uint8_t pack_core(bool vector_core, unsigned core_id) {
    return static_cast<std::uint8_t>((vector_core ? 1u : 0u) | (core_id & 0x7F) << 1);
  }
  static constexpr std::uint8_t pack_ffts(unsigned ffts_type) {
    return static_cast<std::uint8_t>((ffts_type & 7) << 5);
  }
  constexpr std::uint8_t sub_task_type() const {
    return static_cast<std::uint8_t>(get_bits(sub_task.get(), 0, 8));
  }
  constexpr bool overflowed() const { return get_bits(sub_task.get(), 10, 1) != 0; }
  constexpr bool is_vector_core() const { return (core & 1) != 0; }
  constexpr std::uint8_t core_id() const { return get_bits(core.get(), 1, 7); }
  constexpr std::uint8_t ffts_type() const { return get_bits(ffts.get(), 5, 3); }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("reserved_8", self.reserved_8);
    field("sub_task", self.sub_task);
    field("context_id", self.context_id);
    field("core", self.core);
    field("ffts", self.ffts);
    field("thread_id", self.thread_id);
    field("reserved_24", self.reserved_24);
    field("sub_block_id", self.sub_block_id);
    field("block_id", self.block_id);
    field("total_cycles", self.total_cycles);
    field("overflow_cycles", self.overflow_cycles);
    field("counters", self.counters);
    field("start_syscnt", self.start_syscnt);
    field("end_syscnt", self.end_syscnt);
  }
};
static_assert(sizeof(BlockPmu) == 128);

// Counters on chips 15 and 16: of a kernel (kContextPmuV6) or of one block (kBlockPmu). A mixed
// kernel has two kernel records, one of its main and one of its slave cores.
//
// | offset | width | field        | meaning                                                       |
// |--------|-------|--------------|---------------------------------------------------------------|
// |      0 |     4 | head         | function 0x2A kernel, 0x29 block                              |
// |      4 |     4 | task_id      |                                                               |
// |      8 |     8 | total_cycles | core cycles                                                   |
// |     16 |     1 | context_type |                                                               |
// |     17 |     1 | flags        | b0 main core, b1 mixed kernel, b2 a counter overflowed        |
// |     18 |     2 | context_id   | without use: tasks have no contexts here                      |
// |     20 |     1 | core_type    | b0: 0 cube, 1 vector                                          |
// |     21 |     1 | core_id      |                                                               |
// |     22 |     2 | thread_id    |                                                               |
// |     24 |     2 | sub_block_id |                                                               |
// |     26 |     2 | block_id     |                                                               |
// |     28 |     4 | reserved_28  |                                                               |
// |     32 |    80 | counters     | 10 counters                                                   |
// |    112 |    16 | start, end   | ticks                                                         |
struct CorePmuV6 {
  StarsHead head;
  U32 task_id;
  U64 total_cycles;
  U8 context_type;
  U8 flags;
  U16 context_id;
  U8 core_type;
  U8 core_id;
  U16 thread_id;
  U16 sub_block_id;
  U16 block_id;
  Reserved<4> reserved_28;
  std::array<U64, 10> counters;
  U64 start_syscnt;
  U64 end_syscnt;

  constexpr bool is_sound() const {
    return head.function() == StarsFunction::kContextPmuV6 ||
           head.function() == StarsFunction::kBlockPmu;
  }

  static constexpr std::uint8_t pack_flags(bool main_core, bool mixed, bool overflow) {
    return static_cast<std::uint8_t>((main_core ? 1u : 0u) | (mixed ? 2u : 0u) |
                                     (overflow ? 4u : 0u));
  }
  constexpr bool is_main_core() const { return (flags & 1) != 0; }
  constexpr bool is_mixed() const { return (flags & 2) != 0; }
  constexpr bool overflowed() const { return (flags & 4) != 0; }
  constexpr bool is_vector_core() const { return (core_type & 1) != 0; }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("task_id", self.task_id);
    field("total_cycles", self.total_cycles);
    field("context_type", self.context_type);
    field("flags", self.flags);
    field("context_id", self.context_id);
    field("core_type", self.core_type);
    field("core_id", self.core_id);
    field("thread_id", self.thread_id);
    field("sub_block_id", self.sub_block_id);
    field("block_id", self.block_id);
    field("reserved_28", self.reserved_28);
    field("counters", self.counters);
    field("start_syscnt", self.start_syscnt);
    field("end_syscnt", self.end_syscnt);
  }
};
static_assert(sizeof(CorePmuV6) == 128);

// One core's counters over the last sampling interval. kCounters is 8, and 10 on chips 15 and 16.
//
// | offset | width | field         | meaning (96-byte form; 112-byte form in brackets)            |
// |--------|-------|---------------|--------------------------------------------------------------|
// |      0 |     1 | mode          | 0 ends the file: the rest is padding                         |
// |      1 |     7 | reserved_1    |                                                              |
// |      8 | 64 [80] | counters    |                                                              |
// | 72 [88] |    8 | total_cycles  | core cycles                                                  |
// | 80 [96] |    8 | timestamp     | device monotonic ns [ticks]                                  |
// | 88 [104] |   1 | counter_count | how many counters are in use                                 |
// | 89 [105] |   1 | core_id       |                                                              |
// | 90 [106] |   6 | reserved_tail |                                                              |
template <std::size_t kCounters>
struct CoreSample {
  static constexpr bool kZerosAtEnd = true;

  U8 mode;
  Reserved<7> reserved_1;
  std::array<U64, kCounters> counters;
  U64 total_cycles;
  U64 timestamp;
  U8 counter_count;
  U8 core_id;
  Reserved<6> reserved_tail;

  static constexpr void visit(auto& self, auto&& field) {
    field("mode", self.mode);
    field("reserved_1", self.reserved_1);
    field("counters", self.counters);
    field("total_cycles", self.total_cycles);
    field("timestamp", self.timestamp);
    field("counter_count", self.counter_count);
    field("core_id", self.core_id);
    field("reserved_tail", self.reserved_tail);
  }
};
using AiCoreSample = CoreSample<8>;
using AiCoreSampleV6 = CoreSample<10>;
static_assert(sizeof(AiCoreSample) == 96);
static_assert(sizeof(AiCoreSampleV6) == 112);

// Which kind of core a sampled core id of ffts_profile.data means.
constexpr CoreKind sampled_core_kind(ChipId chip, std::uint8_t core_id) {
  return core_id <= last_sampled_cube_core(chip) ? CoreKind::kAic : CoreKind::kAiv;
}

}  // namespace npuprof::format::device
