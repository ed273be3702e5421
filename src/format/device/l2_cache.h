#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "format/device/chips.h"
#include "format/record.h"

namespace npuprof::format::device {

// L2 cache counters of one kernel in `l2_cache.data`, in the order of `l2CacheTaskProfilingEvents`.
//
// | offset | width | field      | meaning                                         |
// |--------|-------|------------|-------------------------------------------------|
// |      0 |     2 | task_type  |                                                 |
// |      2 |     2 | raw_stream |                                                 |
// |      4 |     2 | raw_task   |                                                 |
// |      6 |     2 | reserved_6 |                                                 |
// |      8 |    64 | counters   | 8 counters                                      |
struct L2CacheRecord {
  U16 task_type;
  U16 raw_stream;
  U16 raw_task;
  Reserved<2> reserved_6;
  std::array<U64, 8> counters;

  static constexpr void visit(auto& self, auto&& field) {
    field("task_type", self.task_type);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("reserved_6", self.reserved_6);
    field("counters", self.counters);
  }
};
static_assert(sizeof(L2CacheRecord) == 72);

// A counter that is added (sign 1) or subtracted (sign -1).
struct SignedEvent {
  std::uint16_t event;
  std::int8_t sign;
};

// What a chip counts, and how hit rate (hits / requests) and victim rate (victims / requests)
// follow.
struct L2Events {
  std::span<const std::uint16_t> collected;
  std::span<const SignedEvent> requests;
  std::span<const SignedEvent> hits;
  std::span<const SignedEvent> victims;
};

// All empty for chips without these counters (0 and 9).
L2Events l2_events(ChipId chip);

// Memory management unit, counted in socpmu.data as `npuEvents` asks ("SMMU:0x2,0x8a,...").
inline constexpr std::array<std::uint16_t, 5> kSmmuEvents = {0x2, 0x8a, 0x8b, 0x8c, 0x8d};
inline constexpr std::uint16_t kSmmuRequest = 0x8a;
inline constexpr std::array<std::uint16_t, 2> kSmmuHits = {0x8c, 0x8d};
inline constexpr std::uint16_t kSmmuMiss = 0x2;

// Sum of `wanted` over counters in the order of `events`; events that were not collected count 0.
std::int64_t sum_events(std::span<const SignedEvent> wanted, std::span<const std::uint16_t> events,
                        std::span<const std::uint64_t> counters);

}  // namespace npuprof::format::device
