#pragma once

#include <cstdint>

#include "format/bits.h"
#include "format/record.h"

namespace npuprof::format::device {

inline constexpr std::uint16_t kStarsMagic = 0x6BD3;

// What a record of stars_soc, stars_soc_profile or ffts_profile holds (6 bits). Other values occur
// and are skipped by every reader.
enum class StarsFunction : std::uint8_t {
  kTaskStart = 0x00,
  kTaskEnd = 0x01,
  kFusionStart = 0x16,  // Chips 15 and 16, like the next.
  kFusionEnd = 0x17,
  kQos = 0x18,
  kSio = 0x19,
  kAccPmu = 0x1A,
  kChipTrans = 0x1B,
  kInterSoc = 0x1C,
  kLowPower = 0x1D,
  kFftsPlusStart = 0x22,
  kFftsPlusEnd = 0x23,
  kBlockStart = 0x24,  // Chips 15 and 16, like the next.
  kBlockEnd = 0x25,
  kContextPmu = 0x28,
  kBlockPmu = 0x29,
  kContextPmuV6 = 0x2A,
};

// The first four bytes of every record the STARS scheduler writes.
//
// | offset | width | field    | meaning                                                      |
// |--------|-------|----------|--------------------------------------------------------------|
// |      0 |     2 | bits     | b0..5 function, b6..9 sequence, b10..15 SQE type or unit id  |
// |      2 |     2 | magic    | 0x6BD3; a stars_soc record without it is damaged             |
//
// The sequence number counts all records of a file modulo 16, whatever their function.
struct StarsHead {
  U16 bits;
  U16 magic = kStarsMagic;

  static constexpr StarsHead make(StarsFunction function, unsigned sequence, unsigned unit) {
    std::uint16_t bits = static_cast<std::uint16_t>(function);
    bits = with_bits<std::uint16_t>(bits, 6, 4, static_cast<std::uint16_t>(sequence));
    bits = with_bits<std::uint16_t>(bits, 10, 6, static_cast<std::uint16_t>(unit));
    return {.bits = bits};
  }

  constexpr bool has_magic() const { return magic == kStarsMagic; }
  constexpr StarsFunction function() const {
    return static_cast<StarsFunction>(get_bits(bits.get(), 0, 6));
  }
  constexpr std::uint8_t sequence() const {
    return static_cast<std::uint8_t>(get_bits(bits.get(), 6, 4));
  }
  // SQE type in task records; accelerator or die id in samples.
  constexpr std::uint8_t unit() const {
    return static_cast<std::uint8_t>(get_bits(bits.get(), 10, 6));
  }
  constexpr std::uint8_t sqe_type() const { return unit(); }

  constexpr void set_sequence(unsigned sequence) {
    bits = with_bits<std::uint16_t>(bits, 6, 4, static_cast<std::uint16_t>(sequence));
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("bits", self.bits);
    field("magic", self.magic);
  }
};
static_assert(sizeof(StarsHead) == 4);

}  // namespace npuprof::format::device
