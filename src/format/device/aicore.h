#pragma once

#include <array>
#include <cstdint>

#include "format/bits.h"
#include "format/record.h"

namespace npuprof::format::device {

// Counters of one kernel in `aicore.data` or `aiVectorCore.data` (chips 1 to 4, task-based
// collection). There is no time: records belong to the kernels of the same (stream, task) in order
// of appearance. Sample-based collection writes AiCoreSample (ffts_profile.h) to these files.
//
// | offset | width | field           | meaning                                   |
// |--------|-------|-----------------|-------------------------------------------|
// |      0 |     1 | bits            | b4..7 sequence number modulo 16           |
// |      1 |     5 | reserved_1      |                                           |
// |      6 |     2 | task_id         |                                           |
// |      8 |     8 | reserved_8      |                                           |
// |     16 |     8 | total_cycles    |                                           |
// |     24 |     8 | overflow_cycles |                                           |
// |     32 |    64 | counters        | 8 counters                                |
// |     96 |     4 | stream          | low 11 bits count (stream_of_track)       |
// |    100 |    28 | reserved_100    |                                           |
struct AiCorePmu {
  U8 bits;
  Reserved<5> reserved_1;
  U16 task_id;
  Reserved<8> reserved_8;
  U64 total_cycles;
  U64 overflow_cycles;
  std::array<U64, 8> counters;
  U32 stream;
  Reserved<28> reserved_100;

  constexpr std::uint8_t sequence() const { return get_bits(bits.get(), 4, 4); }

  static constexpr void visit(auto& self, auto&& field) {
    field("bits", self.bits);
    field("reserved_1", self.reserved_1);
    field("task_id", self.task_id);
    field("reserved_8", self.reserved_8);
    field("total_cycles", self.total_cycles);
    field("overflow_cycles", self.overflow_cycles);
    field("counters", self.counters);
    field("stream", self.stream);
    field("reserved_100", self.reserved_100);
  }
};
static_assert(sizeof(AiCorePmu) == 128);

}  // namespace npuprof::format::device
