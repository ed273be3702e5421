#pragma once

// Records of `stars_soc_profile.data`: periodic samples of links, accelerators and power. Always 64
// bytes with the head of stars_head.h and the time in ticks at offset 8; head.unit() is a die or
// unit where the layout says so. ACC PMU records may also stand in stars_soc.data.

#include <array>
#include <cstddef>
#include <cstdint>

#include "format/bits.h"
#include "format/device/stars_head.h"
#include "format/record.h"

namespace npuprof::format::device {

// A record of unknown function: enough to dispatch on.
struct SocSample {
  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<48> body;

  // The same bytes seen as the layout that fits head.function().
  template <Record T>
  T as() const {
    static_assert(sizeof(T) == 64);
    return load<T>(reinterpret_cast<const std::byte*>(this));
  }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("body", self.body);
  }
};
static_assert(sizeof(SocSample) == 64);

// Load of one accelerator (kAccPmu). Pairs are writes and reads, as the vendor's Python reader
// takes them. Its C++ reader has them the other way round, but does not read the file that has
// these records: results always have the order of Python.
//
// | offset | width | field          | meaning                                     |
// |--------|-------|----------------|---------------------------------------------|
// |      0 |     4 | head           |                                             |
// |      4 |     4 | reserved_4     |                                             |
// |      8 |     8 | syscnt         | ticks                                       |
// |     16 |     2 | reserved_16    |                                             |
// |     18 |     2 | accelerator_id |                                             |
// |     20 |    12 | reserved_20    |                                             |
// |     32 |    16 | bandwidth      | level of writes, of reads                   |
// |     48 |    16 | outstanding    | writes, reads under way                     |
struct AccPmuSample {
  // Places in the pairs.
  static constexpr std::size_t kWrite = 0;
  static constexpr std::size_t kRead = 1;

  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<2> reserved_16;
  U16 accelerator_id;
  Reserved<12> reserved_20;
  std::array<U64, 2> bandwidth;
  std::array<U64, 2> outstanding;

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("accelerator_id", self.accelerator_id);
    field("reserved_20", self.reserved_20);
    field("bandwidth", self.bandwidth);
    field("outstanding", self.outstanding);
  }
};
static_assert(sizeof(AccPmuSample) == 64);

// Bytes of each message class over a die-to-die link since the sample before.
//
// | offset | width | field    | meaning                 |
// |--------|-------|----------|-------------------------|
// |      0 |     4 | request  |                         |
// |      4 |     4 | response |                         |
// |      8 |     4 | snoop    |                         |
// |     12 |     4 | data     |                         |
struct SioBytes {
  U32 request;
  U32 response;
  U32 snoop;
  U32 data;

  static constexpr void visit(auto& self, auto&& field) {
    field("request", self.request);
    field("response", self.response);
    field("snoop", self.snoop);
    field("data", self.data);
  }
};
static_assert(sizeof(SioBytes) == 16);

// Die-to-die traffic (kSio) on chips 5 and 7. MB/s = bytes / 2^20 / seconds since the sample before
// of the same die.
//
// | offset | width | field       | meaning                        |
// |--------|-------|-------------|--------------------------------|
// |  0..17 |       |             | as AccPmuSample                |
// |     18 |     2 | die_id      | 0, 1                           |
// |     20 |    12 | reserved_20 |                                |
// |     32 |    16 | received    |                                |
// |     48 |    16 | sent        |                                |
struct SioSample {
  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<2> reserved_16;
  U16 die_id;
  Reserved<12> reserved_20;
  SioBytes received;
  SioBytes sent;

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("die_id", self.die_id);
    field("reserved_20", self.reserved_20);
    field("received", self.received);
    field("sent", self.sent);
  }
};
static_assert(sizeof(SioSample) == 64);

// The same on chips 15 and 16; head.unit() tells the die: 0 compute die 0, 2 and 3 I/O dies 0
// and 1.
//
// | offset | width | field       | meaning                        |
// |--------|-------|-------------|--------------------------------|
// |  0..15 |       |             | as AccPmuSample                |
// |     16 |    12 | reserved_16 |                                |
// |     28 |    16 | received    |                                |
// |     44 |     4 | reserved_44 |                                |
// |     48 |    16 | sent        |                                |
struct SioSampleV6 {
  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<12> reserved_16;
  SioBytes received;
  Reserved<4> reserved_44;
  SioBytes sent;

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("received", self.received);
    field("reserved_44", self.reserved_44);
    field("sent", self.sent);
  }
};
static_assert(sizeof(SioSampleV6) == 64);

// Chip-to-chip or PCIe traffic (kChipTrans) on chips 5 and 7; head.unit() tells which.
//
// | offset | width | field       | meaning                                       |
// |--------|-------|-------------|-----------------------------------------------|
// |  0..17 |       |             | as AccPmuSample                               |
// |     18 |     2 | link        | b0..5 link or PCIe id                         |
// |     20 |    12 | reserved_20 |                                               |
// |     32 |     8 | received    | link: received; PCIe: written                 |
// |     40 |     8 | sent        | link: sent; PCIe: read                        |
// |     48 |    16 | reserved_48 |                                               |
struct ChipTransSample {
  static constexpr std::uint8_t kPaLinkUnit = 63;
  static constexpr std::uint8_t kPcieUnit = 34;

  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<2> reserved_16;
  U16 link;
  Reserved<12> reserved_20;
  U64 received;
  U64 sent;
  Reserved<16> reserved_48;

  constexpr std::uint8_t link_id() const {
    return static_cast<std::uint8_t>(get_bits(link.get(), 0, 6));
  }
  constexpr bool is_pcie() const { return head.unit() == kPcieUnit; }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("link", self.link);
    field("reserved_20", self.reserved_20);
    field("received", self.received);
    field("sent", self.sent);
    field("reserved_48", self.reserved_48);
  }
};
static_assert(sizeof(ChipTransSample) == 64);

// PCIe traffic (kChipTrans) on chips 15 and 16; head.unit() is the die.
//
// | offset | width | field       | meaning                                       |
// |--------|-------|-------------|-----------------------------------------------|
// |  0..15 |       |             | as AccPmuSample                               |
// |     16 |     8 | written     | all ones: invalid, drop the sample            |
// |     24 |     8 | read        | likewise                                      |
// |     32 |    32 | reserved_32 |                                               |
struct ChipTransSampleV6 {
  static constexpr std::uint64_t kInvalid = ~std::uint64_t{0};

  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  U64 written;
  U64 read;
  Reserved<32> reserved_32;

  constexpr bool is_valid() const { return written != kInvalid && read != kInvalid; }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("written", self.written);
    field("read", self.read);
    field("reserved_32", self.reserved_32);
  }
};
static_assert(sizeof(ChipTransSampleV6) == 64);

// How busy the paths between the parts of the chip are (kInterSoc).
//
// | offset | width | field       | meaning                                               |
// |--------|-------|-------------|-------------------------------------------------------|
// |  0..15 |       |             | as AccPmuSample                                       |
// |     16 |    16 | reserved_16 |                                                       |
// |     32 |     2 | levels      | b0..2 mata bandwidth level, b3..10 L2 buffer level    |
// |     34 |    30 | reserved_34 |                                                       |
struct InterSocSample {
  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<16> reserved_16;
  U16 levels;
  Reserved<30> reserved_34;

  static constexpr std::uint16_t pack_levels(unsigned mata, unsigned l2_buffer) {
    return static_cast<std::uint16_t>((mata & 7) | (l2_buffer & 0xFF) << 3);
  }
  constexpr std::uint8_t mata_level() const {
    return static_cast<std::uint8_t>(get_bits(levels.get(), 0, 3));
  }
  constexpr std::uint8_t l2_buffer_level() const {
    return static_cast<std::uint8_t>(get_bits(levels.get(), 3, 8));
  }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("levels", self.levels);
    field("reserved_34", self.reserved_34);
  }
};
static_assert(sizeof(InterSocSample) == 64);

// Power management channels (kLowPower) on chips 15 and 16; head.unit() is the die. Channels 0..9
// are set by hardware, 10..19 by software.
//
// | offset | width | field       | meaning                                               |
// |--------|-------|-------------|-------------------------------------------------------|
// |  0..15 |       |             | as AccPmuSample                                       |
// |     16 |     8 | reserved_16 |                                                       |
// |     24 |    40 | raw         | 20 values; neighbours have changed places             |
struct LowPowerSample {
  static constexpr std::size_t kChannels = 20;
  static constexpr std::size_t kAiCoreMhzChannel = 10;  // Dies 0 and 1.

  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<8> reserved_16;
  std::array<U16, kChannels> raw;

  constexpr std::uint16_t channel(std::size_t index) const { return raw[index ^ 1]; }
  constexpr void set_channel(std::size_t index, std::uint16_t value) { raw[index ^ 1] = value; }

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("raw", self.raw);
  }
};
static_assert(sizeof(LowPowerSample) == 64);

// Bandwidth per quality-of-service stream (kQos) on chips 15 and 16; head.unit() is the die.
//
// | offset | width | field       | meaning                                               |
// |--------|-------|-------------|-------------------------------------------------------|
// |  0..15 |       |             | as AccPmuSample                                       |
// |     16 |     8 | reserved_16 |                                                       |
// |     24 |    40 | bandwidth   | 10 values; only 2..9 mean something                   |
struct QosSampleV6 {
  static constexpr std::size_t kFirstMeaningful = 2;

  StarsHead head;
  Reserved<4> reserved_4;
  U64 syscnt;
  Reserved<8> reserved_16;
  std::array<U32, 10> bandwidth;

  static constexpr void visit(auto& self, auto&& field) {
    StarsHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("reserved_16", self.reserved_16);
    field("bandwidth", self.bandwidth);
  }
};
static_assert(sizeof(QosSampleV6) == 64);

}  // namespace npuprof::format::device
