#pragma once

#include <array>
#include <cstdint>

#include "format/record.h"

namespace npuprof::format::device {

// A kernel in `nano_stars_profile.data` (chip 9): its time and its counters. Stream and number of
// blocks come from the host by (model, task).
//
// | offset | width | field         | meaning                                                      |
// |--------|-------|---------------|--------------------------------------------------------------|
// |      0 |     1 | type          | masked with 0x56 (decimal 1110, cut), 0 = AI core            |
// |      1 |     1 | model_id      |                                                              |
// |      2 |     4 | reserved_2    |                                                              |
// |      6 |     2 | task_id       |                                                              |
// |      8 |     4 | time_low      | ticks, bits 0..31                                            |
// |     12 |     4 | duration      | ticks                                                        |
// |     16 |     4 | cycles_low    | bits 0..31                                                   |
// |     20 |     2 | time_middle   | bits 32..47                                                  |
// |     22 |     1 | time_high     | bits 48..55                                                  |
// |     23 |     1 | cycles_high   | bits 32..39                                                  |
// |     24 |    40 | counters      | 10 counters                                                  |
struct NanoTask {
  U8 type;
  U8 model_id;
  Reserved<4> reserved_2;
  U16 task_id;
  U32 time_low;
  U32 duration;
  U32 cycles_low;
  U16 time_middle;
  U8 time_high;
  U8 cycles_high;
  std::array<U32, 10> counters;

  constexpr std::uint64_t syscnt() const {
    return time_low | std::uint64_t{time_middle} << 32 | std::uint64_t{time_high} << 48;
  }
  constexpr std::uint64_t total_cycles() const {
    return cycles_low | std::uint64_t{cycles_high} << 32;
  }
  // 56 and 40 bits are kept.
  constexpr void set_syscnt(std::uint64_t ticks) {
    time_low = static_cast<std::uint32_t>(ticks);
    time_middle = static_cast<std::uint16_t>(ticks >> 32);
    time_high = static_cast<std::uint8_t>(ticks >> 48);
  }
  constexpr void set_total_cycles(std::uint64_t cycles) {
    cycles_low = static_cast<std::uint32_t>(cycles);
    cycles_high = static_cast<std::uint8_t>(cycles >> 32);
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("type", self.type);
    field("model_id", self.model_id);
    field("reserved_2", self.reserved_2);
    field("task_id", self.task_id);
    field("time_low", self.time_low);
    field("duration", self.duration);
    field("cycles_low", self.cycles_low);
    field("time_middle", self.time_middle);
    field("time_high", self.time_high);
    field("cycles_high", self.cycles_high);
    field("counters", self.counters);
  }
};
static_assert(sizeof(NanoTask) == 64);

}  // namespace npuprof::format::device
