#pragma once

// Instruction-level profiles of single cores. Chip 5 (and 7, 8, 11) samples flow and pipe counters
// in `instr.group_<G>_{aic,aiv0,aiv1}`; chips 15 and 16 log pipe states as 32-bit words in
// `instr.biu_perf_group<G>_{aic,aiv0,aiv1}`.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "format/bits.h"
#include "format/record.h"

namespace npuprof::format::device {

// A number of 24 bits.
struct U24 {
  std::array<U8, 3> raw;

  static constexpr U24 make(std::uint32_t value) {
    return {{static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
             static_cast<std::uint8_t>(value >> 16)}};
  }
  constexpr std::uint32_t get() const {
    return raw[0] | std::uint32_t{raw[1]} << 8 | std::uint32_t{raw[2]} << 16;
  }
};
static_assert(sizeof(U24) == 3);

// Memory traffic of a core (and the time of the sample).
//
// | offset | width | field         | meaning                  |
// |--------|-------|---------------|--------------------------|
// |      0 |     2 | read_commands |                          |
// |      2 |     2 | write_commands |                         |
// |      4 |     3 | read_latency  |                          |
// |      7 |     3 | write_latency |                          |
// |     10 |     3 | read_flux     |                          |
// |     13 |     3 | write_flux    |                          |
// |     16 |     3 | read_flux_l2  |                          |
// |     19 |     3 | write_flux_l2 |                          |
// |     22 |     8 | syscnt        | ticks                    |
// |     30 |     2 | l2_hits       |                          |
struct FlowSample {
  U16 read_commands;
  U16 write_commands;
  U24 read_latency;
  U24 write_latency;
  U24 read_flux;
  U24 write_flux;
  U24 read_flux_l2;
  U24 write_flux_l2;
  U64 syscnt;
  U16 l2_hits;

  static constexpr void visit(auto& self, auto&& field) {
    field("read_commands", self.read_commands);
    field("write_commands", self.write_commands);
    field("read_latency", self.read_latency);
    field("write_latency", self.write_latency);
    field("read_flux", self.read_flux);
    field("write_flux", self.write_flux);
    field("read_flux_l2", self.read_flux_l2);
    field("write_flux_l2", self.write_flux_l2);
    field("syscnt", self.syscnt);
    field("l2_hits", self.l2_hits);
  }
};
static_assert(sizeof(FlowSample) == 32);

// Busy cycles of a core's pipes: 20 numbers of 12 bits, each pair in 3 bytes (low bits first), then
// one of 16. Counters run freely modulo 4096: only differences between samples mean something.
//
// | number   | meaning                                                          |
// |----------|------------------------------------------------------------------|
// | 0, 1, 2  | vector, scalar, cube cycles                                      |
// | 3, 4, 5  | transfer engines (MTE) 1 to 3                                    |
// | 7, 8     | time bits 0..11, 12..23                                          |
// | 14, 15   | time bits 24..35, 36..47                                         |
// | tail     | time bits 48..63                                                 |
struct CycleSample {
  static constexpr std::size_t kNumbers = 20;
  static constexpr std::uint16_t kModulus = 4096;

  std::array<U8, kNumbers * 3 / 2> packed;
  U16 tail;

  constexpr std::uint16_t number(std::size_t index) const {
    const std::size_t at = index / 2 * 3;
    if (index % 2 == 0) {
      return static_cast<std::uint16_t>(packed[at] | (packed[at + 1] & 0x0F) << 8);
    }
    return static_cast<std::uint16_t>(packed[at + 1] >> 4 | packed[at + 2] << 4);
  }
  // The low 12 bits of `value` are kept.
  constexpr void set_number(std::size_t index, std::uint16_t value) {
    const std::size_t at = index / 2 * 3;
    const unsigned other = packed[at + 1];
    if (index % 2 == 0) {
      packed[at] = static_cast<std::uint8_t>(value);
      packed[at + 1] = static_cast<std::uint8_t>((other & 0xF0) | (value >> 8 & 0x0F));
    } else {
      packed[at + 1] = static_cast<std::uint8_t>((other & 0x0F) | (value & 0x0F) << 4);
      packed[at + 2] = static_cast<std::uint8_t>(value >> 4);
    }
  }

  constexpr std::uint64_t syscnt() const {
    return number(7) | std::uint64_t{number(8)} << 12 | std::uint64_t{number(14)} << 24 |
           std::uint64_t{number(15)} << 36 | std::uint64_t{tail} << 48;
  }
  constexpr void set_syscnt(std::uint64_t ticks) {
    set_number(7, static_cast<std::uint16_t>(ticks & 0xFFF));
    set_number(8, static_cast<std::uint16_t>(ticks >> 12 & 0xFFF));
    set_number(14, static_cast<std::uint16_t>(ticks >> 24 & 0xFFF));
    set_number(15, static_cast<std::uint16_t>(ticks >> 36 & 0xFFF));
    tail = static_cast<std::uint16_t>(ticks >> 48);
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("packed", self.packed);
    field("tail", self.tail);
  }
};
static_assert(sizeof(CycleSample) == 32);

// A sample of a cube core: after 32 bytes, flow and cycles alternate in lanes of 8 bytes.
struct CubeInstructionRecord {
  Reserved<32> reserved_0;
  std::array<std::array<U8, 8>, 8> lanes;

  FlowSample flow() const;
  CycleSample cycles() const;  // Take the time from flow().
  void set(const FlowSample& flow, const CycleSample& cycles);

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    field("lanes", self.lanes);
  }
};
static_assert(sizeof(CubeInstructionRecord) == 96);

// A sample of a vector core: cycles alone, with their own time.
struct VectorInstructionRecord {
  Reserved<32> reserved_0;
  CycleSample cycles;

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    CycleSample::visit(self.cycles, field);
  }
};
static_assert(sizeof(VectorInstructionRecord) == 64);

enum class InstructionCore : std::uint8_t { kCube, kVector0, kVector1 };

// Group and core of a base name: "instr.group_3_aiv1" or "instr.biu_perf_group3_aiv1".
struct InstructionFile {
  std::uint32_t group = 0;
  InstructionCore core = InstructionCore::kCube;
};
std::optional<InstructionFile> parse_instruction_file(std::string_view base);

// The core id results show on chip 5: cube cores first, then the two vector cores of each group.
constexpr std::uint32_t instruction_core_id(InstructionFile file) {
  if (file.core == InstructionCore::kCube) return file.group;
  return 2 * file.group + (file.core == InstructionCore::kVector0 ? 25 : 26);
}

}  // namespace npuprof::format::device
