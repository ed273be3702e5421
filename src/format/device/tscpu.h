#pragma once

// Samples of the task scheduler's own CPU in `tscpu.data`.

#include <array>
#include <cstdint>

#include "format/record.h"

namespace npuprof::format::device {

inline constexpr std::uint32_t kTsCpuMagic = 0xABABABAB;

struct TsCpuEvent {
  U64 event;
  U64 count;

  static constexpr void visit(auto& self, auto&& field) {
    field("event", self.event);
    field("count", self.count);
  }
};
static_assert(sizeof(TsCpuEvent) == 16);

// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |      0 |     4 | magic        | 0xABABABAB                                      |
// |      4 |     4 | reserved_4   |                                                 |
// |      8 |   160 | backtrace    | 20 addresses                                    |
// |    168 |     8 | reserved_168 |                                                 |
// |    176 |     8 | pc           |                                                 |
// |    184 |     8 | timestamp    |                                                 |
// |    192 |   112 | events       | 7 pairs                                         |
struct TsCpuSample {
  U32 magic = kTsCpuMagic;
  Reserved<4> reserved_4;
  std::array<U64, 20> backtrace;
  Reserved<8> reserved_168;
  U64 pc;
  U64 timestamp;
  std::array<TsCpuEvent, 7> events;

  constexpr bool has_magic() const { return magic == kTsCpuMagic; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("reserved_4", self.reserved_4);
    field("backtrace", self.backtrace);
    field("reserved_168", self.reserved_168);
    field("pc", self.pc);
    field("timestamp", self.timestamp);
    field("events", self.events);
  }
};
static_assert(sizeof(TsCpuSample) == 304);

// The 32-bit CPU of chip 2.
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |      0 |     4 | magic        | 0xABABABAB                                      |
// |      4 |     4 | reserved_4   |                                                 |
// |      8 |    80 | backtrace    | 20 addresses                                    |
// |     88 |     4 | reserved_88  |                                                 |
// |     92 |     4 | pc           |                                                 |
// |     96 |     8 | timestamp    |                                                 |
// |    104 |    80 | events       | 5 pairs                                         |
struct TsCpuSample610 {
  U32 magic = kTsCpuMagic;
  Reserved<4> reserved_4;
  std::array<U32, 20> backtrace;
  Reserved<4> reserved_88;
  U32 pc;
  U64 timestamp;
  std::array<TsCpuEvent, 5> events;

  constexpr bool has_magic() const { return magic == kTsCpuMagic; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("reserved_4", self.reserved_4);
    field("backtrace", self.backtrace);
    field("reserved_88", self.reserved_88);
    field("pc", self.pc);
    field("timestamp", self.timestamp);
    field("events", self.events);
  }
};
static_assert(sizeof(TsCpuSample610) == 184);

}  // namespace npuprof::format::device
