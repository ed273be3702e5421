#pragma once

// Records of the collective communication units of chips 15 and 16: `ccu<die>.instr` and
// `ccu<die>.stat`.

#include <array>
#include <cstdint>
#include <optional>

#include "format/record.h"

namespace npuprof::format::device {

// One mission, `ccu<die>.instr`. Times are ticks.
//
// | offset | width | field            | meaning                                         |
// |--------|-------|------------------|-------------------------------------------------|
// |      0 |    32 | relative_ends    | 16 values; element i is of rank index 15 - i    |
// |     32 |     8 | set_cke_start    | 0 = the relative ends mean nothing              |
// |     40 |     2 | set_cke_id       | instruction id                                  |
// |     42 |     8 | loop_end         |                                                 |
// |     50 |     8 | loop_start       |                                                 |
// |     58 |     2 | loop_id          | instruction id                                  |
// |     60 |     4 | task_id          |                                                 |
struct CcuMission {
  static constexpr std::size_t kRanks = 16;

  std::array<U16, kRanks> relative_ends;
  U64 set_cke_start;
  U16 set_cke_id;
  U64 loop_end;
  U64 loop_start;
  U16 loop_id;
  U32 task_id;

  // When the rank's part ended; relative ends count in units of four ticks.
  constexpr std::optional<std::uint64_t> end_of_rank(std::size_t rank) const {
    if (set_cke_start == 0) return std::nullopt;
    return set_cke_start + std::uint64_t{4} * relative_ends[kRanks - 1 - rank];
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("relative_ends", self.relative_ends);
    field("set_cke_start", self.set_cke_start);
    field("set_cke_id", self.set_cke_id);
    field("loop_end", self.loop_end);
    field("loop_start", self.loop_start);
    field("loop_id", self.loop_id);
    field("task_id", self.task_id);
  }
};
static_assert(sizeof(CcuMission) == 64);

// Bandwidth of one channel over a sampling interval.
//
// | offset | width | field    | meaning                     |
// |--------|-------|----------|-----------------------------|
// |      0 |     8 | syscnt   | ticks                       |
// |      8 |     4 | average  |                             |
// |     12 |     4 | minimum  |                             |
// |     16 |     4 | maximum  |                             |
struct CcuChannel {
  U64 syscnt;
  U32 average;
  U32 minimum;
  U32 maximum;
};
static_assert(sizeof(CcuChannel) == 20);

// All channels of a unit, `ccu<die>.stat`: 704 words of 32 bits. 120 channels take 5 words each,
// every twelfth 9; the last 8 take 11, 5, 5, 11, 11, 5, 5, 11, and in channels 120 and 124 the
// sample is behind 6 words of padding (in all others before it).
struct CcuChannelDelays {
  static constexpr std::size_t kChannels = 128;
  static constexpr std::size_t kWords = 704;

  std::array<U32, kWords> words;

  // The word at which the channel's sample begins.
  static constexpr std::size_t first_word(std::size_t channel) {
    if (channel < 120) return channel / 12 * 64 + channel % 12 * 5;
    constexpr std::array<std::size_t, 4> kStarts = {6, 11, 16, 21};
    const std::size_t place = channel - 120;
    return 640 + place / 4 * 32 + kStarts[place % 4];
  }

  CcuChannel channel(std::size_t index) const {
    return load<CcuChannel>(reinterpret_cast<const std::byte*>(words.data() + first_word(index)));
  }
  void set_channel(std::size_t index, const CcuChannel& sample) {
    store(reinterpret_cast<std::byte*>(words.data() + first_word(index)), sample);
  }

  static constexpr void visit(auto& self, auto&& field) { field("words", self.words); }
};
static_assert(sizeof(CcuChannelDelays) == 2816);

}  // namespace npuprof::format::device
