#pragma once

#include <cstdint>

#include "format/bits.h"
#include "format/device/stars_head.h"
#include "format/record.h"

namespace npuprof::format::device {

// A record of `hwts.data` or `hwts.aiv_data`: the task log of chips 1 to 4. Only task starts and
// ends are of use. A second start of the same (stream, task) replaces a pending one.
//
// | offset | width | field       | meaning                                                        |
// |--------|-------|-------------|----------------------------------------------------------------|
// |      0 |     1 | bits        | b0..2 Type, b4..7 sequence number modulo 16                    |
// |      1 |     1 | unit        | task type (task_types.h) of tasks, core id of blocks, warnings |
// |      2 |     2 | magic       | 0x6BD3                                                         |
// |      4 |     2 | block_id    | blocks and warnings                                            |
// |      6 |     2 | task_id     |                                                                |
// |      8 |     8 | syscnt      | ticks                                                          |
// |     16 |     4 | stream      | low 11 bits count (stream_of_track)                            |
// |     20 |     4 | reserved_20 |                                                                |
// |     24 |     8 | warning     | status of a warning                                            |
// |     32 |    32 | reserved_32 |                                                                |
struct HwtsLog {
  enum class Type : std::uint8_t { kTaskStart = 0, kTaskEnd = 1, kBlock = 2, kWarning = 3 };

  U8 bits;
  U8 unit;
  U16 magic = kStarsMagic;
  U16 block_id;
  U16 task_id;
  U64 syscnt;
  U32 stream;
  Reserved<4> reserved_20;
  U64 warning;
  Reserved<32> reserved_32;

  static constexpr std::uint8_t pack_bits(Type type, unsigned sequence) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(type) | (sequence & 0xF) << 4);
  }
  constexpr bool has_magic() const { return magic == kStarsMagic; }
  constexpr Type type() const { return static_cast<Type>(get_bits(bits.get(), 0, 3)); }
  constexpr std::uint8_t sequence() const { return get_bits(bits.get(), 4, 4); }

  static constexpr void visit(auto& self, auto&& field) {
    field("bits", self.bits);
    field("unit", self.unit);
    field("magic", self.magic);
    field("block_id", self.block_id);
    field("task_id", self.task_id);
    field("syscnt", self.syscnt);
    field("stream", self.stream);
    field("reserved_20", self.reserved_20);
    field("warning", self.warning);
    field("reserved_32", self.reserved_32);
  }
};
static_assert(sizeof(HwtsLog) == 64);

}  // namespace npuprof::format::device
